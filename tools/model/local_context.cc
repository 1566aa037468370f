#include "tools/model/local_context.h"

#include "base/mutex.h"

namespace toolway::tools::model {

std::optional<std::string> LocalContext::secret(std::string_view name) const {
  const auto found = secrets.find(name);
  return found == secrets.end() ? std::nullopt : std::optional(found->second);
}

void LocalContext::log(LogLevel level, std::string message) {
  const MutexLock lock(mutex_);
  logged_.emplace_back(level, std::move(message));
}

std::vector<std::pair<LogLevel, std::string>> LocalContext::logged() const {
  const MutexLock lock(mutex_);
  return logged_;
}

void LocalContext::add_content(ContentBlock block) {
  const MutexLock lock(mutex_);
  content_.push_back(std::move(block));
}

std::vector<ContentBlock> LocalContext::content() const {
  const MutexLock lock(mutex_);
  return content_;
}

}  // namespace toolway::tools::model
