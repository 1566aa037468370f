#include "extensions/limits/bucket.h"

#include <algorithm>

#include "base/text.h"

namespace toolway::extensions::limits {

Taken take(Bucket bucket, const Rate& rate, std::uint32_t wanted, Moment now) {
  const Moment empty = now + rate.refill();
  const Moment full_at = std::clamp(bucket.full_at, now, empty);
  const auto there = static_cast<std::uint32_t>((empty - full_at) / rate.interval);
  const std::uint32_t tokens = std::min(wanted, there);
  const Moment left = full_at + rate.interval * tokens;
  return {.tokens = tokens, .left = {left}, .next_at = left - rate.refill() + rate.interval};
}

std::string encode(Bucket bucket) {
  return std::to_string(bucket.full_at.time_since_epoch().count());
}

Bucket decode(std::string_view text) {
  std::int64_t ns = 0;
  if (!parse_number(text, ns)) return {};
  return {Moment(std::chrono::nanoseconds(ns))};
}

}  // namespace toolway::extensions::limits
