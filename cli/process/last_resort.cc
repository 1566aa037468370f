#include "cli/process/last_resort.h"

#include <spdlog/spdlog.h>

#include <cstdlib>

#include "cli/terminal/exit_code.h"

namespace toolway::cli {

LastResort::~LastResort() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LastResort::arm(std::chrono::seconds patience) {
  {
    const std::lock_guard lock(mutex_);
    patience_ = patience;
  }
  changed_.notify_all();
}

void LastResort::run() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_ || patience_.has_value(); });
  if (ended_ || changed_.wait_for(lock, *patience_, [this] { return ended_; })) return;
  spdlog::critical("something did not end within {} s of the signal: exiting without waiting for it", patience_->count());
  spdlog::shutdown();
  std::_Exit(kExitInternal);
}

}  // namespace toolway::cli
