#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "gateway/wire/target.h"

/// Times and durations as a query may say them. Pure.
namespace toolway::gateway::wire {

/// `250ms`, `1.5s`, `15m`, `2h`, `7d`: a number that is not negative, and its unit. Up to 3,650
/// days. Nothing: it is another text.
std::optional<std::chrono::microseconds> parse_duration(std::string_view text);

/// RFC 3339 (`2026-11-22T07:31:26.205Z`, `2026-11-22T08:31:26+01:00`), or an age, which is counted
/// back from `now`: `15m`. Nothing: it is neither.
std::optional<WallTime> parse_moment(std::string_view text, WallTime now);

/// A parameter of a query that has such a time; nothing: it was not given. Errors: invalid_request.
HttpResult<std::optional<WallTime>> parse_moment(const Target& target, std::string_view name,
                                                 WallTime now);

}  // namespace toolway::gateway::wire
