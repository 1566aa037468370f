#pragma once

#include <memory>
#include <set>
#include <string>

#include "base/mutex.h"
#include "tools/model/secrets.h"
#include "tools/templates/redaction.h"

namespace toolway::tools::executors::mock {

/// Every value that the worker's secrets have had since it started. Thread-safe.
class KnownSecrets {
 public:
  explicit KnownSecrets(std::shared_ptr<const model::Secrets> secrets)
      : secrets_(std::move(secrets)) {}

  /// Looks at the secrets again, since files change, and returns what takes all of them out.
  templates::Redaction look();

 private:
  const std::shared_ptr<const model::Secrets> secrets_;
  Mutex mutex_;
  std::set<std::string> seen_ GUARDED_BY(mutex_);
};

}  // namespace toolway::tools::executors::mock
