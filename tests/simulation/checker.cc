#include "tests/simulation/checker.h"

#include <algorithm>

#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/questions.h"
#include "proto/subjects.h"
#include "tests/simulation/sim_tools.h"

namespace toolway::simulation {

void Checker::submitted(const v1::CallRequest& request, const std::string& key) {
  Call& call = calls_[request.call_id()];
  const ToolTraits& traits = traits_of(request.labels().tool());
  call.request = request;
  call.idempotent = traits.idempotent;
  call.max_attempts = traits.max_attempts;
  call.key = key;
}

void Checker::answered(const std::string& call_id, Fate fate) {
  Call& call = calls_.at(call_id);
  // What was accepted stays so, whatever a repeated request is told.
  if (call.fate != Fate::kAccepted) call.fate = fate;
  if (fate == Fate::kAccepted && call.stored == 0) {
    world_.violation("call {} was accepted but is not stored", call_id);
  }
}

void Checker::stored(const std::string& stream, const bus::StoredMessage& message) {
  if (stream == proto::kCallsStream) {
    const auto request = proto::decode_call(message.payload);
    world_.note("  CALLS {}: {} (publication {})", message.sequence, request->call_id(),
                request->publication());
    Call& call = calls_.at(request->call_id());
    ++call.stored;
    call.messages.emplace(message.sequence, world_.now());
    if (call.fate == Fate::kRefused)
      world_.violation("call {} was refused but is stored", request->call_id());
  } else if (stream == proto::kEventsStream) {
    event(message);
  } else {
    return;
  }
  streams_[stream].push_back(message);
}

void Checker::event(const bus::StoredMessage& message) {
  const auto decoded = proto::decode_event(message.payload);
  if (!decoded)
    return world_.violation("event {} cannot be read: {}", message.sequence,
                            decoded.error().message);
  const v1::CallEvent& event = *decoded;
  const std::string& id = event.call_id();
  world_.note("  EVENTS {}: {} attempt {} seq {} {} {} by {}", message.sequence, id,
              event.attempt(), event.seq(), proto::event_kind_name(event),
              event.has_completed() ? proto::outcome_name(event.completed().outcome()) : "",
              event.worker_id());
  Call& call = calls_.at(id);
  if (call.completed) {
    world_.violation("{}: {} (attempt {}) was stored after the completion", id,
                     proto::event_kind_name(event), event.attempt());
  }
  const bool merged = event.has_completed() && event.completed().merged_start();
  if (event.seq() != call.seq + (merged ? 2 : 1)) {
    world_.violation("{}: seq {} follows seq {}", id, event.seq(), call.seq);
  }
  if (event.attempt() < call.attempt) {
    world_.violation("{}: attempt {} wrote after attempt {}: it was not fenced", id,
                     event.attempt(), call.attempt);
  }
  if (!event.worker_id().empty() && event.attempt() > 0 && !event.has_cancel_requested() &&
      !event.has_completed()) {
    const auto [writer, first] = call.writers.try_emplace(event.attempt(), event.worker_id());
    if (!first && writer->second != event.worker_id()) {
      world_.violation("{}: attempt {} has two writers, {} and {}", id, event.attempt(),
                       writer->second, event.worker_id());
    }
  }
  if (event.has_cancel_requested() && call.cancel_last) {
    world_.violation("{}: two requests to cancel, one after the other", id);
  }
  if (event.has_approval_decided()) decided(call, event);
  asked(call, event);
  call.cancel_last = event.has_cancel_requested();
  if (event.has_started()) call.started.insert(event.attempt());
  if (event.has_retry_at() && ++call.retries >= call.max_attempts) {
    world_.violation("{}: {} of {} attempts are followed by another", id, call.retries,
                     call.max_attempts);
  }
  call.seq = event.seq();
  call.attempt = event.attempt();
  call.last_sequence = message.sequence;
  if (event.has_completed() && call.attempt > 0 && !call.started.empty()) {
    const auto& code = event.completed().error().code();
    if (code == "queue_limit_exceeded" || event.completed().outcome() == v1::OUTCOME_LOST) {
      world_.violation("{}: has started but ends as {}", id, code);
    }
  }
  if (event.has_completed()) {
    call.completed = true;
    call.outcome = event.completed().outcome();
    call.error = event.completed().error().code();
    call.result = event.completed().result();
  }
}

void Checker::decided(Call& call, const v1::CallEvent& event) {
  const auto& id = event.call_id();
  if (call.approved || call.denied || event.attempt() > 0)
    world_.violation("{}: it was decided before, and again", id);
  const auto* vote = proto::newest_vote(event);
  if (vote == nullptr) return world_.violation("{}: a decision that no one made", id);
  call.denied = !vote->approve();
  if (vote->approve() && !call.approvers.insert(vote->user_id()).second)
    world_.violation("{}: {} has approved it twice", id, vote->user_id());
  call.approved = !event.approved().empty();
  if (call.approved != (!call.denied && call.approvers.size() >= call.request.hold().quorum()))
    world_.violation("{}: of {} approvers {} have approved it", id, call.request.hold().quorum(),
                     call.approvers.size());
}

/// A question is asked once and answered once, and its answer stays in the log while the call runs.
void Checker::asked(Call& call, const v1::CallEvent& event) {
  const auto& id = event.call_id();
  for (const auto& key : event.input_requested().keys())
    if (!call.asked.insert(key).second) world_.violation("{}: {} is asked twice", id, key);
  if (event.has_input_requested() && proto::is_parked(event)) ++call.parks;
  for (const auto& key : event.input_provided().keys())
    for (const auto& question : event.questions())
      if (question.key() == key && !call.answers.try_emplace(key, question.answer()).second)
        world_.violation("{}: {} is answered twice", id, key);
  if (event.has_completed()) return;
  for (const auto& [key, answer] : call.answers) {
    const auto& known = event.questions();
    const auto found = std::ranges::find(known, key, &v1::Question::key);
    if (found == known.end() || found->answer() != answer)
      world_.violation("{}: {} does not have the answer to {}", id, proto::event_kind_name(event),
                       key);
  }
}

void Checker::told(const std::string& call_id, const std::string& key, const std::string& answer) {
  const Call& call = calls_.at(call_id);
  const auto known = call.answers.find(key);
  if (known == call.answers.end() || known->second != answer)
    world_.violation("{}: its tool was told {} to {}, which its log does not have", call_id, answer,
                     key);
}

void Checker::tool_began(const std::string& call_id, unsigned attempt, const std::string& process) {
  Call& call = calls_.at(call_id);
  ++call.runs;
  world_.note("{}: runs {} attempt {}", process, call_id, attempt);
  if (call.fate == Fate::kRefused) world_.violation("{} was refused but runs", call_id);
  if (call.request.has_hold() && !call.approved)
    world_.violation("{} was not approved but runs", call_id);
  if (call.idempotent) return;
  if (call.runs > 1 + call.retries + call.parks) {
    world_.violation(
        "{} must not run twice but began {} times, with {} retries allowed, parked {} times",
        call_id, call.runs, call.retries, call.parks);
  }
  if (!call.started.contains(attempt)) {
    world_.violation("{} must not run twice, but attempt {} runs before its Started is stored",
                     call_id, attempt);
  }
}

bool Checker::all_completed() const {
  for (const auto& [id, call] : calls_) {
    if (call.stored > 0 && !call.completed) return false;
  }
  return true;
}

void Checker::check_end() {
  std::map<std::string, std::string> of_keys;
  for (const auto& [id, call] : calls_) {
    if (call.key.empty() || call.stored == 0) continue;
    const auto [first, added] = of_keys.try_emplace(call.key, id);
    if (!added) world_.violation("key {} has two calls, {} and {}", call.key, first->second, id);
  }
  for (const auto& [id, call] : calls_) {
    if (call.stored > 0 && !call.completed) {
      world_.violation("{} ({}) was accepted but has not ended", id, call.request.labels().tool());
    }
    if (call.stored == 0 && call.runs > 0) world_.violation("{} was never stored but ran", id);
  }
}

}  // namespace toolway::simulation
