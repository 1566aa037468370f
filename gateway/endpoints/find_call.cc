#include "gateway/endpoints/find_call.h"

#include "base/try.h"
#include "gateway/calls/call_json.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway {
namespace {

using persistence::RecordedCall;

constexpr std::chrono::seconds kPatience{1};

}  // namespace

Task<void> bring_up_to_date(AsyncBus& bus, RecordedCall& call) {
  if (call.completion) co_return;
  const auto session = SessionKey::parse(call.session_key);
  const auto id = CallId::parse(call.call_id);
  if (!session || !id) co_return;
  auto last = co_await bus.last_message(proto::kEventsStream, proto::event_subject(*session, *id));
  if (!last) co_return;  // without the bus, the record is all there is
  if (const auto event = proto::decode_event(last->payload)) apply_event(call, *event);
}

Task<Answer<RecordedCall>> find_call(const CallSearch& search, const Caller& caller,
                                     std::string_view id) {
  CO_ASSIGN_OR_RETURN(const auto call_id, CallId::parse(id));
  for (bool looked = false;; looked = true) {
    auto read = [id = call_id](persistence::StoreReader& store) { return store.call(id); };
    CO_ASSIGN_OR_RETURN(auto call,
                        co_await search.store.run<std::optional<RecordedCall>>(std::move(read)));
    if (call && call->user_id == caller.user_id && call->tenant_id == kTenant) {
      co_return std::move(*call);
    }
    // Whatever the call's age: the collectors may have been away that long.
    if (call || looked) co_return refuse(ErrorCode::kUnknownCall, "you have no call with this id");
    switch (co_await await_recorded(search.recorded, proto::kCallsStream, "call.>", kPatience)) {
      case Recorded::kAll: break;
      case Recorded::kNotYet:
        co_return refuse(ErrorCode::kCollectorBehind,
                         "the latest calls are not recorded yet; ask for this one again");
      case Recorded::kUnknown:
        co_return refuse(
            ErrorCode::kBusUnavailable,
            "the message bus does not answer, so this gateway cannot tell whether a call with this id exists");
    }
  }
}

}  // namespace toolway::gateway
