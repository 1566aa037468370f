#include "cli/client/silence_watch.h"

#include <utility>

namespace toolway::cli::client {

SilenceWatch::SilenceWatch(std::stop_token outer, std::chrono::milliseconds patience,
                           std::function<bool()> alive)
    : outer_(std::move(outer), [this] { end_.request_stop(); }) {
  if (patience.count() > 0)
    thread_ = std::thread([this, patience, alive = std::move(alive)] { watch(patience, alive); });
}

SilenceWatch::~SilenceWatch() {
  answered();
  if (thread_.joinable()) thread_.join();
}

void SilenceWatch::answered() {
  {
    const std::lock_guard lock(mutex_);
    answered_ = true;
  }
  changed_.notify_all();
}

bool SilenceWatch::gave_up() const {
  const std::lock_guard lock(mutex_);
  return gave_up_;
}

void SilenceWatch::watch(std::chrono::milliseconds patience, const std::function<bool()>& alive) {
  {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, patience, [this] { return answered_; })) return;
  }
  if (alive()) return;
  {
    const std::lock_guard lock(mutex_);
    if (answered_) return;
    gave_up_ = true;
  }
  end_.request_stop();
}

}  // namespace toolway::cli::client
