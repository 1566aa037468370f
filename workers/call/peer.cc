#include "workers/call/peer.h"

namespace toolway::workers::call {
namespace {

/// A paused or busy worker gets this many questions, each of which waits 400 ms.
constexpr unsigned kQuestions = 3;
/// A bus that is never steady must not keep a call from being taken over.
constexpr std::chrono::seconds kMaxLastEventAge{30};
/// Between two answers; they are asked for every second.
constexpr std::chrono::milliseconds kMaxAnswerGap{2500};

}  // namespace

TakeOver take_over(const PeerFacts& facts, std::chrono::milliseconds settle) {
  switch (facts.says) {
    case PeerSays::kHolds: return TakeOver::kLeave;
    case PeerSays::kDoesNotHold: return TakeOver::kNow;
    case PeerSays::kNotThere: break;
    case PeerSays::kSilent:
      if (facts.asked < kQuestions) return TakeOver::kAskAgain;
      break;
  }
  return facts.steady_for >= settle || facts.last_event_age >= kMaxLastEventAge ? TakeOver::kNow
                                                                                : TakeOver::kLeave;
}

void BusSteadiness::answered(MonotonicTime now) {
  const auto before = answered_.exchange(in_ns(now));
  if (in_ns(now) - before > std::chrono::nanoseconds(kMaxAnswerGap).count()) since_ = in_ns(now);
}

std::chrono::nanoseconds BusSteadiness::steady_for(MonotonicTime now) const {
  if (in_ns(now) - answered_ > std::chrono::nanoseconds(kMaxAnswerGap).count())
    return std::chrono::nanoseconds(0);
  return std::chrono::nanoseconds(in_ns(now) - since_);
}

}  // namespace toolway::workers::call
