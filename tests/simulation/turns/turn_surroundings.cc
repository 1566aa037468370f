#include "tests/simulation/turns/turn_surroundings.h"

#include "base/reserved_names.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/simulation/sim_tools.h"
#include "tools/builtin/turn_spec.h"

namespace toolway::simulation::turns {
namespace {

Micros world_time(std::int64_t at_us) { return Micros(at_us - NodeClock::kEpochUs); }

}  // namespace

std::optional<Micros> RecordedInTables::ended(const std::string& call) const {
  const auto at = tables_.ended(call);
  return at ? std::optional(world_time(*at)) : std::nullopt;
}

std::vector<RecordedCalls::Ended> RecordedInTables::mailbox(const std::string& session,
                                                            std::uint64_t after) const {
  std::vector<Ended> found;
  const auto& all = tables_.mailbox();
  for (auto i = after; i < all.size(); ++i) {
    const auto& one = all[i];
    if (one.session_key != session) continue;
    const bool known = tables_.knows(one.call_id);
    found.push_back({.call = one.call_id,
                     .of_turn = !known || tables_.is_of_turn(one.call_id),
                     .known = known,
                     .at = world_time(one.at_us),
                     .place = i + 1});
  }
  return found;
}

std::optional<KnownCalls::Known> CheckedCalls::find(const std::string& id) const {
  const auto found = checker_.calls().find(id);
  if (found == checker_.calls().end() || found->second.stored == 0) return std::nullopt;
  const auto& call = found->second;
  Known known{.key = call.key, .parent = call.request.parent_call_id()};
  known.is_turn = call.request.labels().tool() == kTurn;
  if (known.is_turn)
    known.content = parse_json(call.request.arguments())->value(tools::builtin::turn::kContent, "");
  known.ended = call.completed;
  known.end_recorded = tables_.ended(id).has_value();
  known.succeeded = call.completed && call.outcome == v1::OUTCOME_SUCCEEDED;
  known.stopped = call.completed && !known.succeeded &&
                  (call.outcome != v1::OUTCOME_FAILED || call.error == "interrupted" ||
                   call.error == "cancelled");
  known.attempt = call.attempt;
  known.started = {call.started.begin(), call.started.end()};
  known.result = call.result;
  return known;
}

std::string CheckedCalls::under(const std::string& key) const {
  for (const auto& [id, call] : checker_.calls())
    if (call.key == key && call.stored > 0) return id;
  return {};
}

std::vector<KnownCalls::Accepted> CheckedCalls::accepted(const std::string& session) const {
  const auto first = server_.stream(proto::kCallsStream)->first;
  std::vector<Accepted> found;
  for (const auto& [id, call] : checker_.calls()) {
    if (call.request.labels().tool() != kTurn || call.request.session_key() != session) continue;
    Accepted turn{.turn = id, .messages = {}};
    for (const auto& [sequence, at] : call.messages)
      turn.messages.push_back({.sequence = sequence, .at = at, .kept = sequence >= first});
    if (!turn.messages.empty()) found.push_back(std::move(turn));
  }
  return found;
}

GatewayLife* gateway_of_turns(const TurnSurroundings& turns) {
  const auto& around = turns.around;
  const bool apart = around.world.now() < turns.apart_until && !around.weather.cleared();
  return apart ? nullptr : turns.gateway();
}

std::optional<v1::CallEvent> completion_of(const TurnSurroundings& turns, const std::string& id) {
  const auto& request = turns.checker.calls().at(id).request;
  const auto subject =
      proto::event_subject(*SessionKey::parse(request.session_key()), *CallId::parse(id));
  const auto& stream = *turns.around.server.stream(proto::kEventsStream);
  if (const auto* last = stream.last_of(subject, stream.last())) {
    auto event = *proto::decode_event(last->payload);
    return event.has_completed() ? std::optional(std::move(event)) : std::nullopt;
  }
  const auto recorded = turns.tables.last_event(id);
  if (!recorded || !recorded->event.has_completed()) return std::nullopt;
  return recorded->event;
}

v1::CallRequest turn_request(TurnSurroundings& turns, const std::string& session_key,
                             const Json& arguments) {
  v1::CallRequest request;
  request.set_call_id(fmt::format("0192a000-0000-7000-8002-{:012x}", ++turns.turns_made));
  request.set_session_key(session_key);
  request.set_tenant_id("default");
  request.set_user_id("user");
  request.set_session_id(session_key);
  request.set_pool(std::string(kChatPool));
  request.mutable_labels()->set_namespace_(std::string(kTurnNamespace));
  request.mutable_labels()->set_tool(kTurn);
  request.mutable_labels()->set_multi_step(true);
  const auto spec = tools::builtin::turn_spec();
  request.mutable_limits()->set_run_ms(static_cast<std::uint32_t>(spec.limits.run.count()));
  request.mutable_limits()->set_total_ms(static_cast<std::uint32_t>(spec.limits.total.count()));
  request.set_on_behalf(request.call_id());
  request.set_arguments(to_text(arguments));
  return request;
}

}  // namespace toolway::simulation::turns
