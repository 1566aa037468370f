#pragma once

#include <spdlog/spdlog.h>

#include <string>
#include <string_view>

#include "base/json.h"

namespace toolway {

/// How a process writes its log.
enum class LogFormat {
  kText,  ///< `2026-11-22T07:31:26.205Z info    gateway: ready`
  kJson,  ///< an object a line; also what `log_record` says
};

/// Sets up spdlog's default logger for this process, on standard error. Called
/// once, from main. `process` ("gateway", "worker" …) appears in every line. A line stays one line
/// and shows no control characters, whatever is logged.
/// Log with spdlog::info(...) and its siblings. Never pass a secret or a tool's arguments.
void start_logging(const std::string& process, const std::string& level,
                   LogFormat format = LogFormat::kText);

/// Whether this process writes records: only in the format kJson.
bool logs_records();
/// Writes a line with members of its own: `event` and `fields`. Without kJson, nothing.
/// Thread-safe.
void log_record(spdlog::level::level_enum level, std::string_view event, const OrderedJson& fields);

}  // namespace toolway
