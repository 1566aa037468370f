#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "tools/model/registry.h"

namespace toolway::tools {

/// The registry that is in force, replaced as a whole when specs change. A thread that
/// works with one holds on to it. Thread-safe.
class LiveRegistry {
 public:
  explicit LiveRegistry(std::shared_ptr<const Registry> registry) : registry_(std::move(registry)) {}

  std::shared_ptr<const Registry> now() const {
    const std::scoped_lock lock(mutex_);
    return registry_;
  }
  void replace(std::shared_ptr<const Registry> registry) {
    const std::scoped_lock lock(mutex_);
    registry_.swap(registry);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Registry> registry_;  // under mutex_
};

}  // namespace toolway::tools
