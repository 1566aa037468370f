#pragma once

#include <chrono>
#include <stop_token>

namespace toolway {

/// Returns once `time` has passed, true; or as soon as a stop is requested, false.
bool pause(std::chrono::microseconds time, const std::stop_token& stop);

}  // namespace toolway
