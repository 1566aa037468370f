#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "tools/executors/http/http_config.h"

namespace toolway::tools::executors::http {

/// What one attempt came to, when it did not succeed.
struct FailedAttempt {
  std::string kind;  ///< `connect`, `first_byte`, or a status; empty: not worth another
  bool sent = true;  ///< the server may have acted on it
  std::optional<std::chrono::milliseconds> retry_after{};
};

struct RetryState {
  unsigned attempts = 1;                            ///< so far
  bool safe = false;                                ///< the request may reach the server again
  std::optional<std::chrono::milliseconds> left{};  ///< of the call's run limit; nothing: no limit
  double random = 0;                                ///< from 0 to 1
};

/// How long to wait before the next attempt; nothing: no more. Exponential with full jitter, never
/// sooner than the server wants; when it wants more than `max_delay`, the call's own policy may
/// wait.
std::optional<std::chrono::milliseconds> next_attempt(const HttpRetries& retries,
                                                      const FailedAttempt& failed,
                                                      const RetryState& state);

/// RFC 9110 §10.2.3: seconds, or a date. A date that is past is zero; a day at most.
std::optional<std::chrono::milliseconds> parse_retry_after(
    std::string_view value, std::chrono::system_clock::time_point now);

/// What time the server has it, by the header Date of its answer (empty: it has none): a date that
/// it names is of its clock, and ours may show another time. Without one: `ours`.
std::chrono::system_clock::time_point time_of_server(std::string_view date,
                                                     std::chrono::system_clock::time_point ours);

/// The kind of failed attempt that a transfer's end is.
FailedAttempt failed_attempt(const tools::http::HttpEnd& end);

}  // namespace toolway::tools::executors::http
