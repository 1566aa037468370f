#include "extensions/auth/attempts.h"

#include <iterator>

namespace toolway::extensions::auth {

Attempts::Turn Attempts::begin(std::uint64_t address, MonotonicTime now) {
  if (by_address_.size() >= kMaxAddresses && !by_address_.contains(address)) forget_calm(now);
  if (by_address_.size() >= kMaxAddresses && !by_address_.contains(address)) return Turn::kRefused;
  Address& known = by_address_[address];
  if (known.wrong.ready_at(now) > now) return Turn::kRefused;
  if (known.checking >= kAtOnce) return Turn::kWaits;
  ++known.checking;
  return Turn::kBegun;
}

void Attempts::ended(std::uint64_t address, End end, MonotonicTime now) {
  const auto found = by_address_.find(address);
  if (found == by_address_.end()) return;
  Address& known = found->second;
  --known.checking;
  if (end == End::kWrong) {
    // Those that were begun at once may all be wrong: the next ones wait for them.
    (void)known.wrong.take(now, kAtOnce);
  } else if (known.checking == 0 && known.wrong.full(now)) {
    by_address_.erase(found);
  }
}

void Attempts::forget_calm(MonotonicTime now) {
  for (auto entry = by_address_.begin(); entry != by_address_.end();) {
    const bool calm = entry->second.checking == 0 && entry->second.wrong.full(now);
    entry = calm ? by_address_.erase(entry) : std::next(entry);
  }
}

}  // namespace toolway::extensions::auth
