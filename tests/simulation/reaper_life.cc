#include "tests/simulation/reaper_life.h"

#include "persistence/reaper/reaper.h"
#include "persistence/reaper/reaper_log.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::simulation {
namespace {

using persistence::reaper::ReapFacts;
using persistence::reaper::ReapRound;

}  // namespace

ReaperLife::ReaperLife(const Surroundings& around, const std::string& name, const Clock& clock,
                       const Tables& tables)
    : Life(around, name, clock), tables_(tables) {
  fiber_ = std::make_unique<Fiber>([this] { run(); });
  process_->after(persistence::reaper::kReapInterval, [this] { resume(); });
}

void ReaperLife::die() {
  if (!process_->alive()) return;
  process_->die();
  killed_ = true;
  fiber_->resume();
}

void ReaperLife::resume() { fiber_->resume(); }

void ReaperLife::wait() {
  Fiber::wait();
  if (killed_) throw Killed();
}

void ReaperLife::run() {
  try {
    while (!killed_) {
      round();
      process_->after(persistence::reaper::kReapInterval, [this] { resume(); });
      wait();
    }
  } catch (const Killed&) {
    around_.world.note("{} is gone", process_->name());
  }
}

template <typename T>
Result<T> ReaperLife::answer(const std::function<void(std::function<void(Result<T>)>)>& ask) {
  auto given = std::make_shared<Result<T>>(fail(ErrorCode::kInternal, "not answered"));
  ask([this, given](Result<T> result) {
    *given = std::move(result);
    resume();
  });
  wait();
  return std::move(*given);
}

void ReaperLife::read_record() {
  const std::size_t rows = tables_.calls().size() + tables_.events().size();
  if (rows == read_) return;
  read_ = rows;
  auto& calls = incomplete_;
  calls.clear();
  for (const auto& [sequence, message] : tables_.calls()) {
    auto request = proto::decode_call(message.payload);
    ReapFacts& facts = calls[request->call_id()];
    facts.request = std::move(*request);
    facts.published = {1, sequence};
  }
  for (const auto& [sequence, message] : tables_.events()) {
    auto event = proto::decode_event(message.payload);
    const auto found = calls.find(event->call_id());
    if (found == calls.end()) continue;
    if (event->has_started())
      found->second.started_at = from_unix_us(event->started().started_at_us());
    if (event->has_completed()) calls.erase(found);
  }
  for (auto& [id, facts] : calls) facts.last = tables_.last_event(id);
}

persistence::reaper::QueueState ReaperLife::queue_state(const std::string& pool,
                                                        std::uint64_t sequence) const {
  const ServerStream& stream = *around_.server.stream(proto::kCallsStream);
  if (sequence < stream.first) return persistence::reaper::QueueState::kGone;
  const auto& durable = stream.durables.at(proto::call_durable(pool, proto::Lane::kNormal, 0));
  return sequence <= durable.ack_floor(stream.last()) ? persistence::reaper::QueueState::kTaken
                                                      : persistence::reaper::QueueState::kQueued;
}

void ReaperLife::round() {
  read_record();
  const persistence::reaper::ReapRules rules;
  ReapRound round(rules, around_.server.recorded_until(), clock_.monotonic());
  for (const auto& [id, facts] : incomplete_) {
    if (!look_at(round, facts)) return;
  }
}

bool ReaperLife::look_at(ReapRound& round, ReapFacts facts) {
  using Kind = persistence::reaper::ReapStep::Kind;
  const std::string id = facts.request.call_id();
  if (const auto known = republished_.find(id); known != republished_.end())
    facts.republished_at = known->second;
  auto step = round.look_at(std::move(facts), clock_.monotonic(), clock_.wall());
  for (;;) {
    switch (step.kind) {
      case Kind::kAskQueueState:
        step = round.queue_state(
            queue_state(round.facts().request.pool(), round.facts().published.sequence));
        break;
      case Kind::kReadLog: {
        auto last = last_in_stream(round.facts().request);
        if (!last) return true;  // another round
        step = round.read(std::move(*last), clock_.monotonic());
        break;
      }
      case Kind::kForget:
      case Kind::kWatch: return true;
      case Kind::kPublish:
      case Kind::kRequestApproval:
      case Kind::kComplete: act(round, step); return true;
      case Kind::kAskPostgres: return false;
    }
  }
}

Result<std::optional<persistence::store::RecordedEvent>> ReaperLife::last_in_stream(
    const v1::CallRequest& request) {
  const auto last = answer<bus::StoredMessage>([&](auto handler) {
    bus_.last_message(proto::kEventsStream, *persistence::reaper::log_subject(request),
                      bus::ReadFrom::kLeader, handler);
  });
  if (last)
    return persistence::store::RecordedEvent{{1, last->sequence},
                                             *proto::decode_event(last->payload)};
  if (last.error().code == ErrorCode::kNotFound) return std::nullopt;
  return fail(last.error());
}

void ReaperLife::act(const ReapRound& round, const persistence::reaper::ReapStep& step) {
  const v1::CallRequest& request = round.facts().request;
  around_.world.note("{}: {} {}", process_->name(), step.decision.action, request.call_id());
  const bool publishes = step.kind == persistence::reaper::ReapStep::Kind::kPublish;
  const auto queue = proto::call_subject(request.pool(), proto::Lane::kNormal, 0,
                                         *SessionKey::parse(request.session_key()));
  const bool asks = step.kind == persistence::reaper::ReapStep::Kind::kRequestApproval;
  auto publication = publishes ? round.publication(request, queue)
                     : asks    ? round.approval_request(request, clock_.wall())
                               : round.completion(clock_.wall());
  const auto stored =
      answer<bus::PubAck>([&](auto handler) { bus_.publish(std::move(*publication), handler); });
  if (stored && publishes) republished_[request.call_id()] = clock_.wall();
}

}  // namespace toolway::simulation
