#include "tools/executors/http/http_retry.h"

#include <curl/curl.h>

#include <algorithm>
#include <cmath>

#include "base/digits.h"

namespace toolway::tools::executors::http {

using std::chrono::milliseconds;

std::optional<milliseconds> next_attempt(const HttpRetries& retries, const FailedAttempt& failed,
                                         const RetryState& state) {
  if (failed.kind.empty() || !retries.on.contains(failed.kind) ||
      state.attempts >= retries.attempts) {
    return std::nullopt;
  }
  if (retries.safe == HttpRetries::Safe::kNever) return std::nullopt;
  if (failed.sent && retries.safe == HttpRetries::Safe::kByMethod && !state.safe)
    return std::nullopt;
  const double doubled =
      static_cast<double>(retries.initial_delay.count()) * std::pow(2, state.attempts - 1);
  const double most = std::min(doubled, static_cast<double>(retries.max_delay.count()));
  milliseconds delay(static_cast<long>(most * std::clamp(state.random, 0.0, 1.0)));
  if (failed.retry_after) {
    if (*failed.retry_after > retries.max_delay) return std::nullopt;
    delay = std::max(delay, *failed.retry_after);
  }
  if (state.left && delay >= *state.left) return std::nullopt;
  return delay;
}

std::optional<milliseconds> parse_retry_after(std::string_view value,
                                              std::chrono::system_clock::time_point now) {
  constexpr std::chrono::seconds kMaxRetryAfter = std::chrono::hours(24);
  while (value.ends_with(' ')) value.remove_suffix(1);
  if (value.empty()) return std::nullopt;
  if (const auto number = parse_saturated(value)) {
    constexpr auto kMaxSeconds = static_cast<std::uint64_t>(kMaxRetryAfter.count());
    return std::chrono::seconds(std::min(*number, kMaxSeconds));
  }
  const auto at = curl_getdate(std::string(value).c_str(), nullptr);
  if (at < 0) return std::nullopt;
  // In seconds: nanoseconds of the year 9999 do not fit a system_clock.
  const std::chrono::seconds wait(at - std::chrono::system_clock::to_time_t(now));
  return std::clamp<std::chrono::seconds>(wait, std::chrono::seconds(0), kMaxRetryAfter);
}

std::chrono::system_clock::time_point time_of_server(std::string_view date,
                                                     std::chrono::system_clock::time_point ours) {
  const auto at = date.empty() ? -1 : curl_getdate(std::string(date).c_str(), nullptr);
  return at < 0 ? ours : std::chrono::system_clock::from_time_t(at);
}

FailedAttempt failed_attempt(const tools::http::HttpEnd& end) {
  using Why = tools::http::HttpEnd::Why;
  const bool sent = end.reached != tools::http::HttpEnd::Reached::kNothing;
  if (end.why == Why::kNotConnected || end.why == Why::kNotResolved ||
      end.limit == tools::http::HttpEnd::Limit::kConnect) {
    return {.kind = "connect", .sent = sent};
  }
  if (end.why == Why::kConnectionLost || end.limit == tools::http::HttpEnd::Limit::kFirstByte) {
    return {.kind = "first_byte", .sent = sent};
  }
  return {};
}

}  // namespace toolway::tools::executors::http
