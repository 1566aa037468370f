#pragma once

#include <memory>
#include <utility>

#include "base/mutex.h"
#include "tools/model/registry.h"

namespace toolway::tools::model {

/// The registry that is in force, replaced as a whole when specs change. A thread that
/// works with one holds on to it. Thread-safe.
class LiveRegistry {
 public:
  explicit LiveRegistry(std::shared_ptr<const Registry> registry)
      : registry_(std::move(registry)) {}

  std::shared_ptr<const Registry> now() const {
    const MutexLock lock(mutex_);
    return registry_;
  }
  void replace(std::shared_ptr<const Registry> registry) {
    const MutexLock lock(mutex_);
    registry_.swap(registry);
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const Registry> registry_ GUARDED_BY(mutex_);
};

}  // namespace toolway::tools::model
