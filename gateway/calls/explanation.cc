#include "gateway/calls/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gateway/calls/answer_plan.h"
#include "gateway/calls/call_states.h"
#include "gateway/calls/explanation_text.h"
#include "gateway/wire/json_text.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/questions.h"

namespace toolway::gateway::calls {
namespace {

using std::chrono::milliseconds;
constexpr double kNear = 0.8;                  // of a limit
constexpr std::int64_t kSilentUs = 4'500'000;  // two announcements were missed

/// Then its time says nothing of the worker.
bool by_gateway(const v1::CallEvent& event) {
  return event.has_cancel_requested() || event.has_input_provided();
}

class Explainer {
 public:
  explicit Explainer(const CallFacts& facts) : facts_(facts), now_us_(to_unix_us(facts.now)) {}

  Explanation explain() {
    out_.attempts = attempts_of(facts_.events);
    decide();
    surroundings();
    if (!out_.reasons.empty()) {
      out_.summary = fmt::format("The call is {}: {}", out_.state, out_.reasons.front().message);
    } else {
      out_.summary = "The call is waiting for a worker, and nothing blocks it.";
    }
    return std::move(out_);
  }

 private:
  void add(std::string code, std::string message) {
    out_.reasons.push_back({std::move(code), std::move(message)});
  }

  void decide() {
    if (!facts_.call) {
      out_.state = call_state::kUnknown;
      return;
    }
    const v1::CallEvent* last = facts_.events.empty() ? nullptr : &facts_.events.back();
    const auto& recorded = facts_.call->completion;
    if (recorded) last = &*recorded;
    if (last == nullptr) return is_held() ? awaiting_approval(nullptr) : queued();
    if (last->has_completed()) {
      out_.state = call_state::kCompleted;
      return add("completed", outcome_text(last->completed()));
    }
    if (last->has_cancel_requested()) return cancelling(*last);
    switch (proto::approval_state(*last)) {
      case proto::ApprovalState::kWaiting:
      case proto::ApprovalState::kDenied: return awaiting_approval(last);
      case proto::ApprovalState::kApproved: return queued();
      case proto::ApprovalState::kNone: break;
    }
    if (last->has_retry_at()) return between_attempts(last->retry_at(), last->attempt());
    if (proto::is_parked(*last)) return parked(*last);
    running(*last);
  }

  void cancelling(const v1::CallEvent& last) {
    out_.state = call_state::kCancelling;
    const auto& reason = last.cancel_requested().reason();
    add("cancelling",
        fmt::format("its cancellation was requested {} ago{}{}, and {}",
                    span_text(now_us_ - last.time_us()), reason.empty() ? "" : ": ", reason,
                    last.worker_id().empty() ? "no worker runs it." : "its worker will end it."));
    if (!last.worker_id().empty()) silence(last.worker_id());
  }

  bool is_held() const { return facts_.request && proto::waits_for_approval(*facts_.request); }

  /// Who may decide, since when, until when. `last`: null while nothing is written.
  void awaiting_approval(const v1::CallEvent* last) {
    out_.state = call_state::kHeld;
    const v1::Hold& hold = last != nullptr ? proto::hold_of(*last) : facts_.request->hold();
    const auto since = span_text(now_us_ - to_unix_us(facts_.call->submitted_at));
    const bool one = hold.quorum() == 1;
    const std::string who = hold.roles().empty()
                                ? ""
                                : fmt::format(" from {} with role {}", one ? "a user" : "users",
                                              fmt::join(hold.roles(), " or "));
    const unsigned given = last != nullptr ? proto::approvals_of(last->approval_decided()) : 0;
    add("awaiting_approval",
        fmt::format("{} has held it for {}: it needs {} approval{}{}{}, by {}; {} so far.",
                    hold.because(), since, hold.quorum(), one ? "" : "s", who,
                    hold.requester_may_decide() ? "" : ", not by its caller",
                    wire::time_text(from_unix_us(hold.expires_at_us())), given));
  }

  void between_attempts(const v1::RetryAt& retry, unsigned attempt) {
    out_.state = call_state::kWaiting;
    const std::int64_t left = retry.at_us() - now_us_;
    add("waiting_for_retry",
        fmt::format("attempt {} failed ({}), and the next one {}; attempts left: {}.", attempt,
                    error_text(retry.error()),
                    left > 0 ? fmt::format("is due in {}", span_text(left))
                             : fmt::format("was due {} ago", span_text(left)),
                    retry.attempts_left()));
    if (left <= 0) hindrances();
  }

  void parked(const v1::CallEvent& last) {
    out_.state = call_state::kWaiting;
    if (proto::is_parked_and_answered(last)) {
      add("answered",
          fmt::format("what its tool asked was answered {} ago, and it continues at the "
                      "next free worker.",
                      span_text(now_us_ - last.time_us())));
      return hindrances();
    }
    add("parked", fmt::format("no worker holds it while its tool waits for an answer, for {} so "
                              "far; the tool runs again then.",
                              span_text(now_us_ - last.time_us())));
    asking(last);
    if (facts_.request)
      limit("total", facts_.request->limits().total_ms(), proto::clocks_began_us(*facts_.request));
  }

  void running(const v1::CallEvent& last) {
    out_.state = call_state::kRunning;
    const std::int64_t since =
        out_.attempts.empty() ? last.time_us() : out_.attempts.back().started_at_us;
    const admission::HeardWorker* worker = worker_of(last.worker_id());
    add("running",
        fmt::format("attempt {} has been running on worker {}{} for {}, last heard from {} ago.",
                    last.attempt(), last.worker_id(),
                    worker == nullptr ? "" : fmt::format(" ({})", worker->said.host()),
                    span_text(now_us_ - since), span_text(now_us_ - last.time_us())));
    asking(last);
    silence(last.worker_id());
    if (!facts_.request) return;
    limit("run", facts_.request->limits().run_ms(), since);
    limit("total", facts_.request->limits().total_ms(), proto::clocks_began_us(*facts_.request));
  }

  /// What its tool waits for.
  void asking(const v1::CallEvent& last) {
    std::vector<std::string> keys;
    for (const auto& question : waiting_questions(last)) keys.push_back(question.key());
    if (keys.empty()) return;
    add("asks", fmt::format("its tool waits for an answer to {}: POST /v1/calls/{}/input takes it.",
                            fmt::join(keys, ", "), last.call_id()));
  }

  void queued() {
    out_.state = call_state::kQueued;
    hindrances();
    if (!facts_.request) return;
    // Its release may not be recorded yet: then the time for which it was held would count.
    if (is_held()) return;
    const auto since = proto::clocks_began_us(*facts_.request);
    limit("queue", facts_.request->limits().queue_ms(), since);
    limit("total", facts_.request->limits().total_ms(), since);
  }

  /// Why no worker takes it.
  void hindrances() {
    if (facts_.bus == Reach::kAway || facts_.pool.empty()) return;
    std::uint64_t slots = 0;
    std::uint64_t held = 0;
    std::size_t pulling = 0;
    for (const admission::HeardWorker& worker : facts_.workers) {
      if (worker.said.draining() || worker.said.paused()) continue;
      ++pulling;
      slots += worker.said.slots();
      held += worker.said.held();
    }
    if (facts_.workers.empty()) {
      add("no_worker",
          fmt::format("no worker serves pool \"{}\": start one with `toolway worker --pool {}`.",
                      facts_.pool, facts_.pool));
    } else if (pulling == 0) {
      add("no_worker",
          fmt::format(
              "every worker of pool \"{}\" is draining, or is paused until more is recorded.",
              facts_.pool));
    } else if (held >= slots) {
      add("slots_full", fmt::format("all {} slots of pool \"{}\" ({} workers) are in use.", slots,
                                    facts_.pool, pulling));
    }
    if (tool_busy()) return;  // it comes back to workers again and again
    if (facts_.position && *facts_.position > 0) {
      behind(*facts_.position);
    } else if (facts_.position && facts_.queue && pulling > 0) {
      add("handed_out",
          "a worker has received it and has not reported its start yet; if that worker is "
          "gone, another one gets the call after 6 s.");
    }
  }

  /// As workers tell: a limit on running calls is full, and counts this one.
  bool tool_busy() {
    bool busy = false;
    for (const LimitFacts& one : facts_.limits) {
      if (one.limit.kind != extensions::LimitKind::kRunning) continue;
      const v1::FullLimit* full = nullptr;
      for (const admission::HeardWorker& worker : facts_.workers) {
        for (const auto& said : worker.said.full_limits()) {
          if (said.key() == one.key && (full == nullptr || said.since_us() < full->since_us()))
            full = &said;
        }
      }
      if (full == nullptr) continue;
      busy = true;
      add("tool_busy",
          busy_text(one.limit.name, full->most(), span_text(now_us_ - full->since_us())));
    }
    return busy;
  }

  /// The call itself was let in; later ones may not be.
  void rate_limited() {
    for (const LimitFacts& one : facts_.limits) {
      if (!one.refuses_since) continue;
      add("rate_limited",
          fmt::format(
              "limit {} of the policy has refused new calls like this one for {}: send them "
              "again after the time in `Retry-After`, or ask who keeps the policy to raise "
              "it.",
              one.limit.name, span_text(now_us_ - to_unix_us(*one.refuses_since))));
    }
  }

  void behind(std::uint64_t position) {
    const double rate = facts_.queue ? facts_.queue->drained : 0;
    const auto left = static_cast<std::int64_t>(static_cast<double>(position) / rate * 1e6);
    // The number is an estimate, and at least 1.
    add("queued_behind",
        fmt::format("{} its queue, {}.",
                    position > 1 ? fmt::format("about {} calls are ahead of it in", position)
                                 : std::string("it is at the head of"),
                    rate > 0 ? fmt::format("which moves at {:.0f} calls a second: about {} more",
                                           rate, span_text(left))
                             : "which is not moving right now"));
  }

  void limit(const char* name, std::uint32_t ms, std::int64_t since_us) {
    if (ms == 0) return;
    const double used = static_cast<double>(now_us_ - since_us) / 1000.0 / ms;
    if (used < kNear) return;
    add("limits_near", used >= 1
                           ? fmt::format("its {} limit of {} has passed: it is being ended now.",
                                         name, span_text(std::int64_t{ms} * 1000))
                           : fmt::format("{:.0f} % of its {} limit of {} is used up.", used * 100,
                                         name, span_text(std::int64_t{ms} * 1000)));
  }

  const admission::HeardWorker* worker_of(std::string_view id) const {
    for (const admission::HeardWorker& worker : facts_.workers) {
      if (worker.said.worker_id() == id) return &worker;
    }
    return nullptr;
  }

  /// A worker announces itself every 2 s; one that does not is dead, paused or cut off.
  void silence(const std::string& worker_id) {
    if (facts_.bus == Reach::kAway) return;
    const admission::HeardWorker* worker = worker_of(worker_id);
    std::int64_t heard = worker == nullptr ? 0 : to_unix_us(worker->wall);
    for (const auto& event : facts_.events) {
      if (event.worker_id() == worker_id && !by_gateway(event))
        heard = std::max(heard, event.time_us());
    }
    if (now_us_ - heard < kSilentUs) return;
    add("worker_silent",
        fmt::format(
            "its worker {} was last heard from {} ago: if it is gone, another worker takes the call over within 8 s of that.",
            worker_id, span_text(now_us_ - heard)));
  }

  /// What holds for any call at the moment.
  void surroundings() {
    const bool ended = out_.state == call_state::kCompleted;
    if (facts_.store == Reach::kAway) {
      add("store_away",
          "the database does not answer: this gateway cannot see what is recorded of the call.");
    }
    if (facts_.bus == Reach::kAway) {
      add("bus_away",
          "the message bus does not answer: no worker gets a call, and none can report.");
    }
    if (!facts_.recorded && facts_.store == Reach::kAnswers) {
      add("not_recorded",
          "it was accepted but is not in the database yet: lists and counts do not show it.");
    }
    if (ended) return;
    rate_limited();
    if (facts_.unrecorded > facts_.unrecorded_cap) {
      add("collector_behind",
          fmt::format("{:.0f} % of what the streams keep is not recorded yet: new calls "
                      "are refused, and above 75 % workers take none.",
                      facts_.unrecorded * 100));
    }
    if (facts_.session_closed) {
      add("session_closed",
          "its session is closed: the call keeps running, and its completion waits in the session's mailbox.");
    }
  }

  const CallFacts& facts_;
  const std::int64_t now_us_;
  Explanation out_;
};

}  // namespace

std::vector<Attempt> attempts_of(const std::vector<v1::CallEvent>& events) {
  std::vector<Attempt> attempts;
  for (const v1::CallEvent& event : events) {
    if (event.attempt() == 0) continue;
    if (attempts.empty() || attempts.back().number != event.attempt()) {
      if (!attempts.empty() && attempts.back().ended.empty()) attempts.back().ended = "broken_off";
      attempts.push_back({.number = event.attempt(),
                          .worker_id = event.worker_id(),
                          .started_at_us = 0,
                          .last_heard_us = 0,
                          .ended = {},
                          .error_code = {},
                          .error = {}});
    }
    Attempt& attempt = attempts.back();
    if (!by_gateway(event)) attempt.last_heard_us = event.time_us();
    const auto fail_with = [&attempt](const v1::CallError& error) {
      attempt.error_code = error.code();
      attempt.error = error.message();
    };
    if (event.has_started()) attempt.started_at_us = event.started().started_at_us();
    if (event.has_input_requested() && proto::is_parked(event)) attempt.ended = "parked";
    if (event.has_retry_at()) {
      attempt.ended = "retry";
      fail_with(event.retry_at().error());
    }
    if (event.has_completed()) {
      attempt.ended = proto::outcome_name(event.completed().outcome());
      if (event.completed().has_error()) fail_with(event.completed().error());
      if (event.completed().started_at_us() != 0)
        attempt.started_at_us = event.completed().started_at_us();
    }
  }
  return attempts;
}

Explanation explain(const CallFacts& facts) { return Explainer(facts).explain(); }

std::uint64_t position_of(std::uint64_t sequence, const bus::ConsumerState& queue,
                          std::uint64_t stream_end) {
  if (sequence <= queue.delivered) return 0;
  const std::uint64_t rest = stream_end > queue.delivered ? stream_end - queue.delivered : 1;
  const double own = std::min(1.0, static_cast<double>(queue.pending) / static_cast<double>(rest));
  const double before = static_cast<double>(sequence - queue.delivered - 1) * own;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(before + 0.5));
}

}  // namespace toolway::gateway::calls
