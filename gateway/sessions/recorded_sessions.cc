#include "gateway/sessions/recorded_sessions.h"

#include "gateway/loop/task_group.h"

namespace toolway::gateway::sessions {

loop::Task<Result<RecordedSessions::Found>> RecordedSessions::read(wire::Caller caller,
                                                                   std::string session_id) {
  auto look = [caller = std::move(caller),
               session_id = std::move(session_id)](persistence::store::StoreReader& store) {
    return store.session(caller.tenant_id, caller.user_id, session_id);
  };
  co_return co_await store_.run<Found>(std::move(look));
}

loop::Task<Result<RecordedSessions::Found>> RecordedSessions::ask(
    wire::Caller caller, std::string session_id, std::chrono::milliseconds patience) {
  constexpr std::chrono::seconds kSilentFor{5};
  loop::TaskGroup asked(io_post_->executor());
  const auto answer = asked.start(read(std::move(caller), std::move(session_id)));
  co_await asked.wait(patience);
  if (answer->has_value() && **answer) co_return std::move(**answer);
  silent_until_ = clock_.monotonic() + kSilentFor;
  if (answer->has_value()) co_return fail((**answer).error());
  co_return fail(ErrorCode::kStoreUnavailable,
                 "the database did not say in time whether it has the session");
}

}  // namespace toolway::gateway::sessions
