#include "persistence/reaper/reap.h"

#include <algorithm>

#include "proto/approvals.h"
#include "proto/publication.h"
#include "proto/questions.h"

namespace toolway::persistence::reaper {
namespace {

using std::chrono::milliseconds;

using proto::kBrokenOff;

WallTime submitted(const ReapFacts& facts) { return from_unix_us(facts.request.submitted_at_us()); }

/// From when on its limits count: without the time for which it was held.
WallTime clocks_began(const ReapFacts& facts) {
  // It was released, and only that publication is not recorded yet.
  if (proto::waits_for_approval(facts.request) && facts.last)
    return from_unix_us(facts.last->event.time_us());
  return from_unix_us(proto::clocks_began_us(facts.request));
}

WallTime said_at(const ReapFacts& facts) { return from_unix_us(facts.last->event.time_us()); }

std::uint32_t attempts(const ReapFacts& facts) {
  return facts.last ? facts.last->event.attempt() : 0;
}

std::optional<WallTime> queue_limit(const ReapFacts& facts) {
  const auto limit = facts.request.limits().queue_ms();
  if (limit == 0 || started(facts)) return std::nullopt;
  return clocks_began(facts) + milliseconds(limit);
}

std::optional<WallTime> total_limit(const ReapFacts& facts) {
  const auto limit = facts.request.limits().total_ms();
  if (limit == 0) return std::nullopt;
  return clocks_began(facts) + milliseconds(limit);
}

/// The last event says that the next attempt begins at a time.
const v1::RetryAt* retry_of(const ReapFacts& facts) {
  return facts.last && facts.last->event.has_retry_at() ? &facts.last->event.retry_at() : nullptr;
}

/// When it was last heard from, or something was expected.
WallTime heard_at(const ReapFacts& facts) {
  auto heard = clocks_began(facts);
  if (facts.last) heard = std::max(heard, said_at(facts));
  if (const auto* retry = retry_of(facts)) heard = std::max(heard, from_unix_us(retry->at_us()));
  if (facts.republished_at) heard = std::max(heard, *facts.republished_at);
  return heard;
}

/// The earliest of the times at which something may have to be done.
class Next {
 public:
  explicit Next(WallTime now) : now_(now) {}
  void at(WallTime time) {
    if (time > now_ && (!next_ || time < *next_)) next_ = time;
  }
  Decision wait(const ReapRules& rules) const {
    Decision decision;
    decision.look_at = next_.value_or(now_ + rules.silence);
    return decision;
  }

 private:
  const WallTime now_;
  std::optional<WallTime> next_;
};

Decision complete(v1::Outcome outcome, ErrorCode code, std::string_view action) {
  Decision decision;
  decision.kind = ReapKind::kComplete;
  decision.outcome = outcome;
  decision.code = code;
  decision.action = action;
  return decision;
}

Decision publish(std::uint32_t publication, std::string_view action) {
  Decision decision;
  decision.kind = ReapKind::kPublish;
  decision.publication = publication;
  decision.action = action;
  return decision;
}

/// What follows once the streams are recorded past `deadline`.
Decision once_recorded(Decision decision, WallTime deadline, WallTime recorded, WallTime now,
                       const ReapRules& rules) {
  if (recorded > deadline) return decision;
  Decision wait;
  wait.look_at = now + rules.look_again;
  return wait;
}

/// What a held call waits for, and what follows when the gateway that should do it died. Nothing:
/// it has begun, as any other.
std::optional<Decision> of_held(const ReapFacts& facts, WallTime recorded, WallTime now,
                                const ReapRules& rules, Next& next) {
  if (!held(facts)) return std::nullopt;
  const auto wait = [&](WallTime at) {
    next.at(at);
    return next.wait(rules);
  };
  const auto expires = from_unix_us(facts.request.hold().expires_at_us());
  const auto since = facts.last ? said_at(facts) : submitted(facts);
  const auto due = since + rules.decide_after;
  const auto state =
      facts.last ? proto::approval_state(facts.last->event) : proto::ApprovalState::kWaiting;
  if (state == proto::ApprovalState::kWaiting && now >= expires) {
    return once_recorded(
        complete(v1::OUTCOME_REJECTED, ErrorCode::kApprovalExpired, "approval_expired"), expires,
        recorded, now, rules);
  }
  if (facts.last && state == proto::ApprovalState::kWaiting) return wait(expires);
  if (now < due) return wait(due);
  if (state == proto::ApprovalState::kWaiting) {
    Decision decision;
    decision.kind = ReapKind::kRequestApproval;
    decision.action = "approval_requested";
    return once_recorded(decision, since, recorded, now, rules);
  }
  const auto decision = state == proto::ApprovalState::kApproved
                            ? publish(proto::kReleased, "approved")
                            : complete(v1::OUTCOME_REJECTED, ErrorCode::kApprovalDenied, "denied");
  return once_recorded(decision, since, recorded, now, rules);
}

/// The end of a call whose queue or total limit has passed; before that, `next` is told when to
/// look.
std::optional<Decision> past_limit(const ReapFacts& facts, WallTime recorded, WallTime now,
                                   const ReapRules& rules, Next& next) {
  if (const auto limit = queue_limit(facts)) {
    if (now >= *limit + rules.slack) {
      return once_recorded(
          complete(v1::OUTCOME_TIMED_OUT, ErrorCode::kQueueLimitExceeded, "queue_limit"), *limit,
          recorded, now, rules);
    }
    next.at(*limit + rules.slack);
  }
  if (const auto limit = total_limit(facts)) {
    if (now >= *limit + rules.slack) {
      const auto decision =
          started(facts)
              ? complete(v1::OUTCOME_TIMED_OUT, ErrorCode::kTotalLimitExceeded, "total_limit")
              : complete(v1::OUTCOME_LOST, ErrorCode::kCallLost, "lost");
      return once_recorded(decision, *limit, recorded, now, rules);
    }
    next.at(*limit + rules.slack);
  }
  return std::nullopt;
}

/// The publication of a retry that no worker keeps and whose time has come; before that, `next` is
/// told when it comes.
std::optional<Decision> due_retry(const ReapFacts& facts, WallTime recorded, WallTime now,
                                  const ReapRules& rules, Next& next) {
  if (const auto* retry = retry_of(facts)) {
    const auto due = from_unix_us(retry->at_us());
    const auto publication = facts.request.publication();
    const bool done = publication == attempts(facts) || publication == kBrokenOff + attempts(facts);
    if (!worker_keeps(facts.last->event, rules) && !done) {
      if (now >= due) {
        return once_recorded(publish(attempts(facts), "retry"), said_at(facts), recorded, now,
                             rules);
      }
      next.at(due);
    }
  }
  return std::nullopt;
}

/// What a parked call waits for, and its publication when the gateway that answered it died.
/// Nothing: it is not parked, or was published again.
std::optional<Decision> of_parked(const ReapFacts& facts, WallTime recorded, WallTime now,
                                  const ReapRules& rules, Next& next) {
  if (!facts.last || !proto::is_parked(facts.last->event)) return std::nullopt;
  const auto publication = proto::kAnswered + attempts(facts);
  if (facts.request.publication() == publication) return std::nullopt;
  if (!proto::is_parked_and_answered(facts.last->event)) return next.wait(rules);
  const auto due = said_at(facts) + rules.decide_after;
  next.at(due);
  if (now < due) return next.wait(rules);
  return once_recorded(publish(publication, "answered"), said_at(facts), recorded, now, rules);
}

}  // namespace

bool worker_keeps(const v1::CallEvent& retry, const ReapRules& rules) {
  return from_unix_us(retry.retry_at().at_us()) - from_unix_us(retry.time_us()) <= rules.nak_limit;
}

bool started(const ReapFacts& facts) { return attempts(facts) > 0; }

bool held(const ReapFacts& facts) {
  if (!proto::waits_for_approval(facts.request)) return false;
  return !facts.last || proto::approval_state(facts.last->event) != proto::ApprovalState::kNone;
}

std::optional<WallTime> limit_of(const ReapFacts& facts, const ReapRules& rules) {
  if (held(facts)) return from_unix_us(facts.request.hold().expires_at_us());
  auto limit = queue_limit(facts);
  const auto total = total_limit(facts);
  if (total && (!limit || *total < *limit)) limit = total;
  if (limit) *limit += rules.slack;
  return limit;
}

Decision reap(const ReapFacts& facts, WallTime recorded, WallTime now, const ReapRules& rules) {
  Next next(now);
  if (facts.last && facts.last->event.has_completed()) {
    Decision forget;
    forget.kind = ReapKind::kForget;
    return forget;
  }

  // A cancelled call that no worker began never begins; only its completion is missing.
  if (facts.last && facts.last->event.has_cancel_requested() && !started(facts)) {
    const auto due = said_at(facts) + rules.cancel_after;
    if (now >= due) {
      return once_recorded(complete(v1::OUTCOME_CANCELLED, ErrorCode::kCancelled, "cancelled"),
                           said_at(facts), recorded, now, rules);
    }
    next.at(due);
    return next.wait(rules);
  }

  if (const auto decision = of_held(facts, recorded, now, rules, next)) return *decision;
  if (const auto ended = past_limit(facts, recorded, now, rules, next)) return *ended;
  if (const auto again = due_retry(facts, recorded, now, rules, next)) return *again;
  if (const auto parked = of_parked(facts, recorded, now, rules, next)) return *parked;

  const auto heard = heard_at(facts);
  const auto silent_since = heard + rules.silence;
  next.at(silent_since);
  if (now < silent_since) return next.wait(rules);
  switch (facts.queue_state) {
    case QueueState::kUnknown:
    case QueueState::kQueued: {
      next.at(now + rules.silence);
      auto wait = next.wait(rules);
      wait.asks_queue_state = facts.queue_state == QueueState::kUnknown;
      return wait;
    }
    case QueueState::kTaken:
    case QueueState::kGone: break;
  }
  auto last_word = clocks_began(facts);
  if (facts.last) last_word = std::max(last_word, said_at(facts));
  if (now >= last_word + rules.lost_after) {
    return once_recorded(complete(v1::OUTCOME_LOST, ErrorCode::kCallLost, "lost"), heard, recorded,
                         now, rules);
  }
  return once_recorded(publish(kBrokenOff + attempts(facts), "silent"), silent_since, recorded, now,
                       rules);
}

}  // namespace toolway::persistence::reaper
