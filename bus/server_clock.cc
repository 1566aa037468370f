#include "bus/server_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace toolway::bus {
namespace {

using std::chrono::microseconds;

std::int64_t in_us(MonotonicTime time) {
  return std::chrono::duration_cast<microseconds>(time.time_since_epoch()).count();
}

}  // namespace

WallTime ServerClock::wall() const {
  const auto shift = shift_.load(std::memory_order_relaxed);
  if (shift == kUnknown) return local_.wall();
  return from_unix_us(in_us(local_.monotonic()) + shift);
}

void ServerClock::read(MonotonicTime begun, WallTime server, MonotonicTime ended) {
  const auto least = to_unix_us(server) - in_us(ended);
  const auto most = to_unix_us(server) - in_us(begun);
  const auto local = to_unix_us(local_.wall()) - in_us(local_.monotonic());
  const auto before = shift_.load(std::memory_order_relaxed);
  // All values between are equally right. The local clock's own keeps the processes of one machine
  // together to the microsecond; after the first reading, the one that moves least.
  if (local >= least && local <= most) {
    shift_ = local;
  } else if (before != kUnknown) {
    shift_ = std::clamp(before, least, most);
  } else {
    shift_ = least + (most - least) / 2;
  }
}

std::optional<microseconds> ServerClock::ahead() const {
  if (!known()) return std::nullopt;
  return local_.wall() - wall();
}

bool clock_is_right(std::optional<microseconds> ahead) {
  return ahead && std::chrono::abs(*ahead) <= kMaxClockOffset;
}

std::string clock_in_words(std::optional<microseconds> ahead) {
  if (!ahead) return "not known yet";
  if (clock_is_right(ahead)) return "ok";
  const double seconds = std::chrono::duration<double>(*ahead).count();
  return fmt::format("{:.1f} s {} by NATS' clock", std::abs(seconds),
                     seconds > 0 ? "fast" : "slow");
}

}  // namespace toolway::bus
