#include "cli/process/last_resort.h"

#include <spdlog/spdlog.h>

#include <cstdlib>

#include "cli/exit_code.h"

namespace toolway::cli {

LastResort::~LastResort() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ended_changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LastResort::arm(std::chrono::seconds patience) {
  thread_ = std::thread([this, patience] {
    std::unique_lock lock(mutex_);
    if (ended_changed_.wait_for(lock, patience, [this] { return ended_; })) return;
    spdlog::critical("something did not end within {} s of the signal: leaving without it", patience.count());
    spdlog::shutdown();
    std::_Exit(kExitInternal);
  });
}

}  // namespace toolway::cli
