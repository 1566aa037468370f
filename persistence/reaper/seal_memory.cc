#include "persistence/reaper/seal_memory.h"

#include <spdlog/spdlog.h>

#include "base/try.h"

namespace toolway::persistence::reaper {
namespace {

/// NATS may have lost it.
constexpr std::chrono::minutes kKeepEvery{5};

}  // namespace

Result<void> SealMemory::take_over() {
  ASSIGN_OR_RETURN(auto noted, note_.read());
  if (noted) last_ = std::move(noted);
  return {};
}

void SealMemory::remember(audit::Anchor last) {
  last_ = std::move(last);
  next_ = {};
}

Result<void> SealMemory::follow() {
  ASSIGN_OR_RETURN(auto noted, note_.read());
  if (!noted) return last_ ? note_.write(*last_) : Result<void>();
  last_ = std::move(noted);
  return {};
}

void SealMemory::keep(Sealer seals) {
  if (clock_.monotonic() < next_ || (seals == Sealer::kThisOne && !last_)) return;
  if (auto kept = seals == Sealer::kThisOne ? note_.write(*last_) : follow(); kept) {
    next_ = clock_.monotonic() + kKeepEvery;
    failing_ = false;
  } else {
    if (!failing_)
      spdlog::warn("the last seal of the audit is not noted in NATS: {}", kept.error().message);
    failing_ = true;
  }
}

}  // namespace toolway::persistence::reaper
