#include "gateway/calls/key_shares.h"

#include <fmt/format.h>

#include <chrono>

#include "bus/key_value.h"

namespace toolway::gateway::calls {
namespace {

/// Those of the bucket, and the one that has just begun.
constexpr std::int64_t kHours = 24;
constexpr double kHalfFull = 0.5;

}  // namespace

void KeyShares::forget_before(User& user, std::int64_t hour) {
  while (!user.hours.empty() && user.hours.front().hour < hour) {
    user.bytes -= user.hours.front().bytes;
    user.hours.pop_front();
  }
}

std::optional<Error> KeyShares::note(const std::string& user, std::size_t bytes,
                                     MonotonicTime now) {
  if (caps_.user_mib == 0) return std::nullopt;
  const auto hour =
      std::int64_t{std::chrono::floor<std::chrono::hours>(now.time_since_epoch()).count()};
  if (hour != swept_) {
    swept_ = hour;
    for (auto& [name, known] : users_) forget_before(known, hour - kHours);
    std::erase_if(users_, [](const auto& entry) { return entry.second.hours.empty(); });
  }
  User& known = users_[user];
  const std::uint64_t takes = bus::entry_bytes(bytes);
  if (known.bytes + takes > caps_.user_mib * 1024 * 1024 && bucket_used_() > kHalfFull) {
    return Error{
        ErrorCode::kTooManyCalls,
        fmt::format("your calls with an Idempotency-Key took {} MiB within 24 hours, the limit per "
                    "user (--user-key-mib): send fewer or smaller ones, or send them without a key",
                    caps_.user_mib),
        std::chrono::seconds(60)};
  }
  if (known.hours.empty() || known.hours.back().hour != hour) known.hours.push_back({hour, 0});
  known.hours.back().bytes += takes;
  known.bytes += takes;
  return std::nullopt;
}

}  // namespace toolway::gateway::calls
