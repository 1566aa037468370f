#pragma once

#include <map>
#include <string>

#include "base/mutex.h"
#include "chat/providers/dialect.h"
#include "chat/providers/request_pace.h"

namespace toolway::chat::providers {

/// Which parameters models have refused, or that they take no blocks (kBlocks), so that no later
/// request to such a model has them. From any thread; gone with the process.
class RefusedParameters {
 public:
  LeftOut of(const std::string& model) const {
    const MutexLock lock(mutex_);
    const auto found = by_model_.find(model);
    return found == by_model_.end() ? LeftOut() : found->second;
  }
  void add(const std::string& model, std::string parameter) {
    const MutexLock lock(mutex_);
    if (by_model_.size() < kMaxModels || by_model_.contains(model))
      by_model_[model].insert(std::move(parameter));
  }

 private:
  static constexpr std::size_t kMaxModels = 1000;
  mutable Mutex mutex_;
  std::map<std::string, LeftOut> by_model_ GUARDED_BY(mutex_);
};

/// What the providers of a process know together.
struct ProviderMemory {
  RefusedParameters refused;
  RequestPace pace;
};

}  // namespace toolway::chat::providers
