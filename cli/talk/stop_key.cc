#include "cli/talk/stop_key.h"

#include <unistd.h>

#include <cstdio>

namespace toolway::cli::talk {

StopKey::StopKey()
    : watch_([this](const std::stop_token& stop) {
        while (!stop.stop_requested())
          if (const auto signal = signals_.wait()) pressed(*signal);
      }) {}

StopKey::~StopKey() {
  watch_.request_stop();
  signals_.wake();
  watch_.join();
}

void StopKey::begin_turn(std::function<void()> stop) {
  const MutexLock lock(mutex_);
  stop_ = std::move(stop);
  stopped_ = false;
}

bool StopKey::end_turn() {
  const MutexLock lock(mutex_);
  stop_ = nullptr;
  return stopped_;
}

void StopKey::pressed(int signal) {
  const MutexLock lock(mutex_);
  if (stop_ && !stopped_) {
    stopped_ = true;
    stop_();
    return;
  }
  std::fflush(stdout);
  if (isatty(STDERR_FILENO) != 0) std::fputc('\n', stderr);
  // Main's thread waits for a line, or for a turn that does not stop. What is stored is whole.
  _exit(128 + signal);
}

}  // namespace toolway::cli::talk
