#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "cli/terminal/view.h"

/// Times and durations for people. Pure.
namespace toolway::cli::terminal {

/// Of RFC 3339 in UTC, as the gateway writes it: `2026-11-22T07:31:26.205219Z`. Nothing: it is
/// another text.
std::optional<WallTime> parse_moment(std::string_view rfc3339);

/// `12 s ago`, `5 min ago`, `3 h ago`, `2 d ago`; `now` within a second, `in 5 s` later.
std::string age_text(WallTime then, WallTime now);

/// As `view` shows times: an age, or UTC to the second; in a pipe the text as it is.
std::string moment_text(const std::string& rfc3339, const View& view);

/// `0.8 ms`, `12 ms`, `1.5 s`, `12 s`, `5 min 3 s`, `2 h 10 min`.
std::string duration_text(std::chrono::microseconds duration);

}  // namespace toolway::cli::terminal
