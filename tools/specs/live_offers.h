#pragma once

#include <memory>
#include <utility>

#include "base/mutex.h"
#include "tools/specs/offers.h"

namespace toolway::tools::specs {

/// The prompts and resources that are in force, replaced as a whole when a file changes. A thread
/// that works with them holds on to them. Thread-safe.
class LiveOffers {
 public:
  /// Never null.
  std::shared_ptr<const Offers> now() const {
    const MutexLock lock(mutex_);
    return offers_;
  }
  void replace(std::shared_ptr<const Offers> offers) {
    const MutexLock lock(mutex_);
    offers_.swap(offers);
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const Offers> offers_ GUARDED_BY(mutex_) = std::make_shared<const Offers>();
};

}  // namespace toolway::tools::specs
