#pragma once

#include <spdlog/spdlog.h>

#include <exception>
#include <string_view>
#include <utility>

#include "base/mutex.h"

namespace toolway {

/// Runs `work` where an exception would end the process (a callback of a library in C, a thread
/// that many share): what it throws, as a rule std::bad_alloc, ends here with a line in the log
/// that names `what`. False: it threw. Clang does not see what `work` locks, or needs locked.
template <typename Work>
bool contained(std::string_view what, Work&& work) noexcept NO_THREAD_SAFETY_ANALYSIS {
  const auto say = [what](const char* why) noexcept {
    try {
      spdlog::error("{} was dropped: {}", what, why);
    } catch (...) {
      // There is no memory for the line either.
    }
  };
  try {
    std::forward<Work>(work)();
    return true;
  } catch (const std::exception& e) {
    say(e.what());
  } catch (...) {
    say("something that is not a std::exception was thrown");
  }
  return false;
}

}  // namespace toolway
