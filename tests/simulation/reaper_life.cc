#include "tests/simulation/reaper_life.h"

#include <algorithm>

#include "persistence/reaper/call_reaper.h"
#include "persistence/reaper/reaper_log.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::simulation {
namespace {

using persistence::CallFacts;
using persistence::CallReaper;
using persistence::Decision;
using persistence::ReapKind;

constexpr std::chrono::seconds kRound{1};

}  // namespace

ReaperLife::ReaperLife(const Surroundings& around, const std::string& name, const Clock& clock,
                       const Tables& tables)
    : Life(around, name, clock), tables_(tables) {
  fiber_ = std::make_unique<Fiber>([this] { run(); });
  process_->after(kRound, [this] { resume(); });
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
      process_->after(kRound, [this] { resume(); });
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
    CallFacts& facts = calls[request->call_id()];
    facts.request = std::move(*request);
    facts.published = {1, sequence};
  }
  for (const auto& [sequence, message] : tables_.events()) {
    auto event = proto::decode_event(message.payload);
    const auto found = calls.find(event->call_id());
    if (found == calls.end()) continue;
    if (event->has_started()) found->second.started_at = from_unix_us(event->started().started_at_us());
    if (event->has_completed()) calls.erase(found);
  }
  for (auto& [id, facts] : calls) facts.last = tables_.last_event(id);
}

persistence::QueuePlace ReaperLife::place(std::uint64_t sequence) const {
  const ServerStream& stream = *around_.server.stream(proto::kCallsStream);
  if (sequence < stream.first) return persistence::QueuePlace::kGone;
  const auto& durable = stream.durables.at(proto::call_durable("native", proto::Lane::kNormal, 0));
  return sequence <= durable.ack_floor(stream.last()) ? persistence::QueuePlace::kTaken
                                                      : persistence::QueuePlace::kQueued;
}

void ReaperLife::round() {
  read_record();
  const MonotonicTime asked = clock_.monotonic();
  for (const auto& [id, facts] : incomplete_) {
    if (clock_.monotonic() - asked >= CallReaper::kFactsHold) return;
    look_at(facts, asked);
  }
}

void ReaperLife::look_at(CallFacts facts, MonotonicTime asked) {
  const persistence::ReapRules rules;
  const std::string id = facts.request.call_id();
  if (const auto known = republished_.find(id); known != republished_.end()) facts.republished_at = known->second;
  Decision decision = reap(facts, around_.server.recorded_until(), clock_.wall(), rules);
  if (decision.asks_place) {
    facts.place = place(facts.published.sequence);
    decision = reap(facts, around_.server.recorded_until(), clock_.wall(), rules);
  }
  if (decision.kind == ReapKind::kWait || decision.kind == ReapKind::kForget) return;
  // What is recorded informs; the stream's word decides.
  const auto subject = proto::event_subject(*SessionKey::parse(facts.request.session_key()), *CallId::parse(id));
  const auto last = answer<bus::StoredMessage>([&](auto handler) {
    bus_.last_message(proto::kEventsStream, subject, bus::ReadFrom::kLeader, handler);
  });
  if (!last && last.error().code != ErrorCode::kNotFound) return;
  if (clock_.monotonic() - asked >= CallReaper::kFactsHold) return;
  if (last) {
    auto event = *proto::decode_event(last->payload);
    if (!facts.last || event.seq() > facts.last->event.seq()) {
      facts.last = persistence::RecordedEvent{{1, last->sequence}, std::move(event)};
      decision = reap(facts, around_.server.recorded_until(), clock_.wall(), rules);
    }
  }
  if (decision.kind == ReapKind::kPublish || decision.kind == ReapKind::kComplete) {
    act(facts, last ? &*last : nullptr, decision);
  }
}

void ReaperLife::act(const CallFacts& facts, const bus::StoredMessage* in_stream, const Decision& decision) {
  const std::string& id = facts.request.call_id();
  const auto session = *SessionKey::parse(facts.request.session_key());
  around_.world.note("{}: {} {}", process_->name(), decision.action, id);
  bus::Publication publication;
  if (decision.kind == ReapKind::kPublish) {
    v1::CallRequest request = facts.request;
    request.set_publication(decision.publication);
    publication = {.subject = proto::call_subject("native", proto::Lane::kNormal, 0, session),
                   .payload = proto::encode(request),
                   .message_id = proto::call_message_id(*CallId::parse(id), decision.publication)};
  } else {
    const auto* behind = facts.last ? &facts.last->event : nullptr;
    publication = {.subject = proto::event_subject(session, *CallId::parse(id)),
                   .payload = proto::encode(persistence::completion_of(facts, behind, decision, clock_.wall())),
                   .expected_last = in_stream != nullptr ? in_stream->sequence : 0};
  }
  const auto stored = answer<bus::PubAck>([&](auto handler) { bus_.publish(std::move(publication), handler); });
  if (stored && decision.kind == ReapKind::kPublish) republished_[id] = clock_.wall();
}

}  // namespace toolway::simulation
