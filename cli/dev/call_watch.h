#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "bus/bus.h"
#include "cli/dev/activity.h"

namespace toolway::cli::dev {

/// Follows the events of all calls of a stack on its nats-server. Its owner takes the lines; the
/// bus's thread adds them.
class CallWatch {
 public:
  /// Errors: kBusUnavailable.
  static Result<std::unique_ptr<CallWatch>> start(const std::string& nats_url,
                                                  const terminal::Style& style);
  ~CallWatch();

  /// Of calls that have ended since the last time: the first ones, and how many more there were.
  struct Ended {
    std::vector<std::string> lines;
    std::size_t more = 0;
  };
  Ended ended();
  /// As Activity::running.
  std::string running(WallTime now);

 private:
  explicit CallWatch(const terminal::Style& style) : style_(style) {}
  void take(std::string_view payload);

  const terminal::Style style_;
  Mutex mutex_;
  Activity activity_ GUARDED_BY(mutex_);
  Ended ended_ GUARDED_BY(mutex_);
  std::unique_ptr<bus::Bus> bus_;
  std::unique_ptr<bus::Subscription> subscription_;  // last: its handler uses all of the above
};

}  // namespace toolway::cli::dev
