// GET /v1/calls/{c}/explain: gathers what is known of a call, with a time limit for each source.
#include "gateway/endpoints/explain_handler.h"

#include <algorithm>

#include "base/try.h"
#include "extensions/builtin/limits.h"
#include "extensions/limits/bucket_key.h"
#include "extensions/principal_message.h"
#include "gateway/answers/held_answer.h"
#include "gateway/calls/explanation.h"
#include "gateway/endpoints/find_call.h"
#include "gateway/loop/task_group.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::store::AcceptedCall;
using persistence::store::RecordedCall;
using persistence::store::RecordedEvent;
using std::chrono::milliseconds;

/// Out of the second that an explanation may take: for the store, and in all.
constexpr milliseconds kStoreWait{450};
constexpr milliseconds kTotalWait{900};
constexpr milliseconds kStreamsWait{650};
constexpr milliseconds kRecordWait{200};
constexpr std::size_t kMaxEvents = 1000;

/// What the store says of a call.
struct StoreSays {
  std::optional<RecordedCall> call;
  std::optional<AcceptedCall> accepted;
  std::vector<RecordedEvent> events;
};

loop::Task<Result<StoreSays>> read_store(loop::AsyncStore& async_store, CallId id) {
  auto read = [id](persistence::store::StoreReader& store) -> Result<StoreSays> {
    StoreSays says;
    ASSIGN_OR_RETURN(says.call, store.call(id));
    if (!says.call) return says;
    ASSIGN_OR_RETURN(says.accepted, store.accepted(id));
    ASSIGN_OR_RETURN(says.events, store.events_of_call(id, {}, kMaxEvents));
    return says;
  };
  co_return co_await async_store.run<StoreSays>(std::move(read));
}

/// What the streams show of a call that the store does not have, as the store would say it; nothing
/// when they show nothing of it.
loop::Task<std::optional<StoreSays>> read_streams(const calls::StreamSearch& search,
                                                  wire::Caller caller, CallId id,
                                                  MonotonicTime give_up) {
  auto found = co_await calls::find_in_streams(search, std::move(caller), id, give_up);
  if (!found) co_return std::nullopt;
  StoreSays says;
  says.call = std::move(found->call);
  if (found->request) {
    const auto stream = co_await search.bus.stream_state(proto::kCallsStream);
    const std::int64_t incarnation = stream ? stream->incarnation : 0;
    says.accepted = AcceptedCall{std::move(*found->request), {incarnation, found->sequence}};
  }
  co_return says;
}

/// Why there is nothing to explain; nothing when the store must be asked again.
loop::Task<std::optional<wire::Problem>> not_there(const mailbox::RecordWatch& watch) {
  const auto recorded =
      co_await mailbox::await_recorded(watch, proto::kCallsStream, "call.>", kRecordWait);
  switch (recorded) {
    case mailbox::Recorded::kAll: co_return std::nullopt;
    case mailbox::Recorded::kNotYet:
      co_return wire::Problem{
          .error = Error{ErrorCode::kCollectorBehind,
                         "not all accepted calls are recorded yet, and this gateway cannot find "
                         "this one: ask again"}};
    case mailbox::Recorded::kUnknown: break;
  }
  co_return wire::Problem{
      .error = Error{
          ErrorCode::kBusUnavailable,
          "the message bus does not answer, so this gateway cannot tell whether a call with this id exists"}};
}

/// What the bus says of a call that is recorded.
struct BusSays {
  std::optional<v1::CallEvent> last;
  std::optional<admission::QueueFacts> queue;
  std::optional<std::uint64_t> position;
};

loop::Task<Result<BusSays>> read_bus(const ExplainContext& context, std::string event_subject,
                                     std::optional<AcceptedCall> accepted) {
  BusSays says;
  auto last = co_await context.bus.last_message(proto::kEventsStream, std::move(event_subject));
  if (last) {
    if (auto event = proto::decode_event(last->payload)) says.last = std::move(*event);
  } else if (last.error().code != ErrorCode::kNotFound) {
    co_return fail(std::move(last.error()));
  }
  if (says.last || !accepted) co_return says;
  CO_ASSIGN_OR_RETURN(const auto stream, co_await context.bus.stream_state(proto::kCallsStream));
  if (stream.incarnation != accepted->position.incarnation) co_return says;
  auto message = co_await context.bus.next_message(
      proto::kCallsStream, "call.>", accepted->position.sequence, bus::ReadFrom::kAnyReplica);
  if (!message || message->sequence != accepted->position.sequence) co_return says;
  const auto* queues = context.queues.facts().queues_of(accepted->request.pool());
  if (queues == nullptr) co_return says;
  const auto session = *SessionKey::parse(accepted->request.session_key());
  const auto queue =
      std::find_if(queues->begin(), queues->end(), [&](const admission::QueueFacts& one) {
        return message->subject ==
               proto::call_subject(accepted->request.pool(), one.lane, one.partition, session);
      });
  if (queue == queues->end()) co_return says;
  says.queue = *queue;
  CO_ASSIGN_OR_RETURN(const auto state, co_await context.bus.consumer_state(proto::kCallsStream,
                                                                            says.queue->durable));
  says.queue->state = state;
  says.position = calls::position_of(accepted->position.sequence, state, stream.last_sequence);
  co_return says;
}

loop::Task<wire::HttpResult<sessions::SessionPtr>> read_session(sessions::Sessions& sessions,
                                                                wire::Caller caller,
                                                                std::string session_id) {
  co_return co_await sessions.find(caller, session_id);
}

/// Counts what the store says while the bus is asked. Errors: overloaded.
wire::HttpResult<wire::MemoryBudget::Share> hold(wire::MemoryBudget& memory,
                                                 const StoreSays& says) {
  ASSIGN_OR_RETURN(auto share, hold_call(memory, *says.call));
  std::size_t bytes = share.bytes();
  for (const RecordedEvent& event : says.events) bytes += event.event.ByteSizeLong();
  if (says.accepted) bytes += 2 * says.accepted->request.ByteSizeLong();
  if (bytes > answers::kNotCounted && !share.try_resize(bytes))
    return wire::refuse(wire::memory_problem());
  return share;
}

/// Starts, ends and what lies between attempts; and the last event, whatever it is.
std::vector<v1::CallEvent> landmarks(std::vector<RecordedEvent> recorded,
                                     std::optional<v1::CallEvent> last) {
  std::vector<v1::CallEvent> events;
  const std::uint32_t end = last ? last->seq() : 0;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    v1::CallEvent& event = recorded[i].event;
    const bool report = event.has_progress() || event.has_log();
    if (last && event.seq() >= end) break;
    if (!report || (!last && i + 1 == recorded.size())) events.push_back(std::move(event));
  }
  if (last) events.push_back(std::move(*last));
  return events;
}

/// The limits of the policy in force that are about the call. Arguments that take long to read are
/// not looked at.
void know_limits(const ExplainContext& context, calls::CallFacts& facts) {
  const auto policy = context.policies.in_force();
  if (!policy || !facts.request) return;
  const auto& labels = facts.request->labels();
  const auto tool = context.registry.now()->find(labels.namespace_(), labels.tool());
  if (!tool) return;
  const auto caller = extensions::principal_of(*facts.request);
  std::optional<Json> arguments;
  if (facts.request->arguments().size() <= loop::WorkPool::kSmall) {
    if (auto read = parse_json(facts.request->arguments())) arguments = std::move(*read);
  }
  const auto now = context.clock.monotonic();
  for (auto& limit : extensions::builtin::limits_about(*policy->policy, tool->spec(), caller,
                                                       arguments ? &*arguments : nullptr)) {
    calls::LimitFacts fact{.limit = std::move(limit), .key = {}, .refuses_since = {}};
    fact.key = extensions::limits::bucket_key(fact.limit, *facts.request);
    fact.refuses_since = context.refusals.since(fact.key, now);
    facts.limits.push_back(std::move(fact));
  }
}

void know_surroundings(const ExplainContext& context, calls::CallFacts& facts) {
  const admission::BusFacts& bus = context.queues.facts();
  for (const auto& [stream, part] : bus.unrecorded)
    facts.unrecorded = std::max(facts.unrecorded, part);
  facts.unrecorded_cap = context.unrecorded_cap;
  know_limits(context, facts);
  if (facts.pool.empty()) return;
  facts.pool_waiting = bus.waiting_in(facts.pool);
  for (const admission::HeardWorkerPtr& worker : context.workers.list(facts.pool))
    facts.workers.push_back(*worker);
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> explain_call(const ExplainContext& context,
                                                          const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(const auto id, CallId::parse(routed.id));
  const auto begun = context.clock.monotonic();
  calls::CallFacts facts;
  facts.call_id = id.text();
  loop::TaskGroup first(co_await asio::this_coro::executor);
  const auto store = first.start(read_store(context.store, id));
  co_await first.wait(kStoreWait);
  if (!context.bus.connected()) facts.bus = calls::Reach::kAway;
  auto stored = loop::take_value(store);
  if (!stored) facts.store = calls::Reach::kAway;
  StoreSays says = std::move(stored).value_or(StoreSays{});
  if (!says.call && facts.bus == calls::Reach::kAnswers) {
    auto streamed = co_await read_streams(context.streams, routed.caller, id, begun + kStreamsWait);
    if (streamed) {
      says = std::move(*streamed);
      facts.recorded = false;
    }
  }
  if (!says.call && facts.store == calls::Reach::kAnswers) {
    if (auto problem = co_await not_there(context.recorded))
      co_return wire::refuse(std::move(*problem));
    auto again = co_await read_store(context.store, id);  // it may just have been recorded
    if (again) says = std::move(*again);
    if (!says.call)
      co_return wire::refuse(ErrorCode::kUnknownCall, "you have no call with this id");
  }
  facts.now = context.clock.wall();
  if (!says.call) {
    know_surroundings(context, facts);
    co_return wire::Response{.body = calls::explanation_json(facts, calls::explain(facts))};
  }
  if (!wire::owns(routed.caller, says.call->tenant_id, says.call->user_id)) {
    co_return wire::refuse(ErrorCode::kUnknownCall, "you have no call with this id");
  }
  CO_ASSIGN_OR_RETURN(const auto memory, hold(context.memory, says));
  const std::string subject = proto::event_subject(*SessionKey::parse(says.call->session_key), id);
  loop::TaskGroup second(co_await asio::this_coro::executor);
  const auto bus = second.start(read_bus(context, subject, says.accepted));
  const auto session =
      second.start(read_session(context.sessions, routed.caller, says.call->session_id));
  co_await second.wait(begun + kTotalWait - context.clock.monotonic());
  auto answered = loop::take_value(bus);
  if (!answered) facts.bus = calls::Reach::kAway;
  BusSays heard = facts.bus == calls::Reach::kAway ? BusSays{} : std::move(*answered);
  facts.queue = std::move(heard.queue);
  facts.position = heard.position;
  facts.events = landmarks(std::move(says.events), std::move(heard.last));
  if (const auto found = loop::take_value(session)) {
    facts.session_closed = (*found)->record.state() == v1::SessionRecord::STATE_CLOSED;
  }
  if (says.accepted) {
    facts.pool = says.accepted->request.pool();
    facts.request = std::move(says.accepted->request);
  }
  facts.call = std::move(says.call);
  know_surroundings(context, facts);
  co_return wire::Response{.body = calls::explanation_json(facts, calls::explain(facts))};
}

}  // namespace toolway::gateway::endpoints
