#include "gateway/endpoints/find_call.h"

#include "base/try.h"
#include "gateway/answers/held_answer.h"
#include "gateway/calls/call_json.h"
#include "gateway/calls/cancel.h"
#include "gateway/loop/task_group.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::store::RecordedCall;

constexpr std::chrono::seconds kRecordWait{1};

loop::Task<wire::HttpResult<RecordedCall>> find_recorded(const CallSearch& search,
                                                         wire::Caller caller, std::string id) {
  co_return co_await find_call(search, caller, id);
}

}  // namespace

wire::HttpResult<wire::MemoryBudget::Share> hold_call(wire::MemoryBudget& memory,
                                                      const RecordedCall& call) {
  const std::size_t bytes =
      call.arguments.size() + (call.completion ? call.completion->ByteSizeLong() : 0);
  return memory.take(wire::MemoryUse::kAnswer, bytes > answers::kNotCounted ? 2 * bytes : 0);
}

loop::Task<Result<v1::CallEvent>> last_event(loop::AsyncBus& bus, std::string session_key,
                                             std::string call_id) {
  CO_ASSIGN_OR_RETURN(const auto session, SessionKey::parse(session_key));
  CO_ASSIGN_OR_RETURN(const auto id, CallId::parse(call_id));
  const std::string subject = proto::event_subject(session, id);
  CO_ASSIGN_OR_RETURN(const auto last, co_await bus.last_message(proto::kEventsStream, subject));
  co_return proto::decode_event(last.payload);
}

loop::Task<std::optional<v1::CallEvent>> bring_up_to_date(loop::AsyncBus& bus, RecordedCall& call) {
  if (call.completion) co_return std::nullopt;
  auto event = co_await last_event(bus, call.session_key, call.call_id);
  if (!event) co_return std::nullopt;  // without the bus, the record is all there is
  calls::apply_event(call, *event);
  co_return std::move(*event);
}

loop::Task<wire::HttpResult<RecordedCall>> find_call(const CallSearch& search,
                                                     const wire::Caller& caller,
                                                     std::string_view id) {
  CO_ASSIGN_OR_RETURN(const auto call_id, CallId::parse(id));
  const auto due = search.clock.monotonic();
  for (bool looked = false;; looked = true) {
    auto read = [id = call_id](persistence::store::StoreReader& store) { return store.call(id); };
    CO_ASSIGN_OR_RETURN(
        auto call, co_await search.store.run<std::optional<RecordedCall>>(std::move(read), due));
    if (call && wire::owns(caller, call->tenant_id, call->user_id)) {
      co_return std::move(*call);
    }
    // Whatever the call's age: the collectors may have been away that long.
    if (call || looked)
      co_return wire::refuse(ErrorCode::kUnknownCall, "you have no call with this id");
    switch (co_await mailbox::await_recorded(search.recorded, proto::kCallsStream, "call.>",
                                             kRecordWait)) {
      case mailbox::Recorded::kAll: break;
      case mailbox::Recorded::kNotYet:
        co_return wire::refuse(ErrorCode::kCollectorBehind,
                               "the latest calls are not recorded yet; ask for this one again");
      case mailbox::Recorded::kUnknown:
        co_return wire::refuse(
            ErrorCode::kBusUnavailable,
            "the message bus does not answer, so this gateway cannot tell whether a call with this id exists");
    }
  }
}

loop::Task<wire::HttpResult<RecordedCall>> find_named_call(const CallSearch& search,
                                                           const wire::RoutedRequest& routed) {
  CO_ASSIGN_OR_RETURN(auto call, co_await find_call(search, routed.caller, routed.id));
  CO_RETURN_IF_ERROR(check_session(routed.acting, call));
  co_return std::move(call);
}

wire::HttpResult<void> check_session(const wire::Acting* acting, const RecordedCall& call) {
  if (acting == nullptr || call.session_id == acting->session_id) return {};
  return wire::refuse(ErrorCode::kUnknownCall, "the session of this turn has no call with this id");
}

loop::Task<wire::HttpResult<calls::KnownCall>> find_to_change(const CallSearch& search,
                                                              const calls::StreamSearch& streams,
                                                              const wire::Caller& caller,
                                                              const std::string& id,
                                                              MonotonicTime deadline) {
  constexpr std::chrono::milliseconds kStoreWait{100};
  constexpr std::chrono::milliseconds kStreamsWait{400};
  CO_ASSIGN_OR_RETURN(const auto call_id, CallId::parse(id));
  loop::TaskGroup asked(co_await asio::this_coro::executor);
  const auto store = asked.start(find_recorded(search, caller, id));
  co_await asked.wait(kStoreWait);
  const auto answered = [&store] {
    const auto& found = *store;
    return found && (found->has_value() || found->error().error.code == ErrorCode::kUnknownCall);
  };
  if (!answered()) {
    auto streamed = co_await calls::find_in_streams(streams, caller, call_id,
                                                    search.clock.monotonic() + kStreamsWait);
    if (streamed) co_return calls::to_cancel(std::move(*streamed));
    co_await asked.wait(deadline - search.clock.monotonic());
  }
  if (!store->has_value()) {
    co_return wire::refuse(ErrorCode::kCollectorBehind,
                           "neither the database nor the streams show the call yet; ask again");
  }
  auto& found = **store;
  CO_RETURN_IF_ERROR(found);
  co_return calls::KnownCall(std::move(*found));
}

}  // namespace toolway::gateway::endpoints
