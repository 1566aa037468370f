#include "cli/process/last_resort.h"

#include <spdlog/spdlog.h>

#include <cstdlib>

#include "base/mutex.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::process {

LastResort::~LastResort() {
  {
    const MutexLock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LastResort::arm(std::chrono::seconds patience) {
  {
    const MutexLock lock(mutex_);
    patience_ = patience;
  }
  changed_.notify_all();
}

void LastResort::run() {
  MutexLock lock(mutex_);
  changed_.wait(lock, [this]() REQUIRES(mutex_) { return ended_ || patience_.has_value(); });
  if (ended_ || changed_.wait_for(lock, *patience_, [this]() REQUIRES(mutex_) { return ended_; }))
    return;
  spdlog::critical(
      "something did not end within {} s of the signal: exiting without waiting for it",
      patience_->count());
  spdlog::shutdown();
  std::_Exit(terminal::kExitInternal);
}

}  // namespace toolway::cli::process
