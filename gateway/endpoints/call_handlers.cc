#include "gateway/answers/give_way.h"
#include "gateway/answers/held_page.h"
#include "gateway/calls/call_json.h"
#include "gateway/calls/check_arguments.h"
#include "gateway/endpoints/handlers.h"
#include "gateway/mailbox/recorded.h"
#include "gateway/wire/json_text.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway {
namespace {

using persistence::CallState;
using persistence::RecordedCall;

constexpr std::chrono::seconds kPatience{1};

Answer<CallState> parse_state(const Target& target) {
  const auto text = target.query("state");
  if (!text) return CallState::kAny;
  if (*text == "queued") return CallState::kQueued;
  if (*text == "running") return CallState::kRunning;
  if (*text == "completed") return CallState::kCompleted;
  return refuse(invalid_request({{"?state", "enum", "expected queued, running or completed"}}));
}

}  // namespace

Task<void> bring_up_to_date(Services& services, RecordedCall& call) {
  if (call.completion) co_return;
  const auto session = SessionKey::parse(call.session_key);
  const auto id = CallId::parse(call.call_id);
  if (!session || !id) co_return;
  auto last =
      co_await services.bus.last_message(proto::kEventsStream, proto::event_subject(*session, *id));
  if (!last) co_return;  // without the bus, the record is all there is
  if (const auto event = proto::decode_event(last->payload)) apply_event(call, *event);
}

Task<Answer<RecordedCall>> find_call(Services& services, const Caller& caller,
                                     std::string_view id) {
  const auto call_id = CallId::parse(id);
  if (!call_id) co_return refuse(call_id.error());
  for (bool looked = false;; looked = true) {
    auto read = [id = *call_id](persistence::StoreReader& store) { return store.call(id); };
    auto call = co_await services.store.run<std::optional<RecordedCall>>(std::move(read));
    if (!call) co_return refuse(std::move(call.error()));
    if (*call && (*call)->user_id == caller.user_id && (*call)->tenant_id == kTenant) {
      co_return std::move(**call);
    }
    // Whatever the call's age: the collectors may have been away that long.
    if (*call || looked) co_return refuse(ErrorCode::kUnknownCall, "you have no call with this id");
    switch (co_await await_recorded(services.recorded, proto::kCallsStream, "call.>", kPatience)) {
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

namespace {

/// What the spec that admitted a call says, while it is in force here.
std::string version_of(Services& services, const persistence::RecordedCall& call) {
  const auto registry = services.registry.now();
  const auto& labels = call.labels;
  const auto stable = registry->find(labels.namespace_(), labels.tool());
  if (stable && stable->digest == call.spec_digest) return stable->spec().version;
  const auto* candidate = registry->candidate_of(labels.namespace_(), labels.tool());
  const bool is_it = candidate != nullptr && candidate->tool->digest == call.spec_digest;
  return is_it ? candidate->tool->spec().version : std::string();
}

}  // namespace

Task<Answer<Response>> show_call(Services& services, const Asked& asked) {
  if (auto known = asked.target.only({}); !known) co_return refuse(std::move(known.error()));
  auto call = co_await find_call(services, asked.caller, asked.id);
  if (!call) co_return refuse(std::move(call.error()));
  co_await bring_up_to_date(services, *call);
  co_return Response{.body = call_json(*call, CallForm::kGet, version_of(services, *call))};
}

Task<Answer<Response>> list_calls(Services& services, const Asked& asked) {
  if (auto known = asked.target.only({"state", "limit", "before"}); !known) {
    co_return refuse(std::move(known.error()));
  }
  const auto limit = parse_limit(asked.target, 100, 1000);
  if (!limit) co_return refuse(limit.error());
  const auto state = parse_state(asked.target);
  if (!state) co_return refuse(state.error());
  std::optional<CallId> before;
  if (const auto text = asked.target.query("before")) {
    auto id = CallId::parse(*text);
    if (!id) co_return refuse(ErrorCode::kInvalidCursor, "?before= takes a call_id");
    before = std::move(*id);
  }
  auto session = co_await services.sessions.find(asked.caller, asked.id);
  if (!session) co_return refuse(std::move(session.error()));
  const auto recorded =
      co_await await_session_recorded(services.recorded, (*session)->key, kPatience);
  auto read = [key = (*session)->key, state = *state, before,
               limit = *limit](persistence::StoreReader& store) {
    return store.calls_of_session(key, state, before, limit);
  };
  auto page = co_await read_held_page<RecordedCall>(services.pages, std::move(read));
  if (!page) co_return refuse(std::move(page.error()));
  const auto& found = page->rows;
  Response response{.memory = std::move(page->memory)};
  std::string& out = response.body;
  ObjectText object(out);
  object.begin("calls");
  out.push_back('[');
  std::size_t turn = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (out.size() - turn > kTurnBytes) {
      turn = out.size();
      co_await give_way();
    }
    if (i > 0) out.push_back(',');
    out += call_json(found[i], CallForm::kGet, version_of(services, found[i]));
  }
  out.push_back(']');
  object.text_or_null("next", found.more ? found.back().call_id : std::string());
  object.boolean("behind", recorded != Recorded::kAll);
  object.end();
  co_return response;
}

}  // namespace toolway::gateway
