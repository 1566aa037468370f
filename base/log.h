#pragma once

#include <spdlog/spdlog.h>

#include <string>

namespace toolway {

/// Sets up spdlog's default logger for this process, on standard error. Called
/// once, from main. `process` ("gateway", "worker" …) appears in every line.
/// Log with spdlog::info(...) and its siblings. Never pass a secret or a tool's arguments.
void start_logging(const std::string& process, const std::string& level);

}  // namespace toolway
