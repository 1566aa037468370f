#include "tools/executors/mock/known_secrets.h"

#include "base/mutex.h"

namespace toolway::tools::executors::mock {

templates::Redaction KnownSecrets::look() {
  const auto now = secrets_->all();
  const MutexLock lock(mutex_);
  for (const auto& [name, value] : now) seen_.insert(value);
  return templates::Redaction({seen_.begin(), seen_.end()});
}

}  // namespace toolway::tools::executors::mock
