#include "base/pause.h"

#include <optional>

#include "base/long_wait.h"
#include "base/mutex.h"

namespace toolway {

bool pause(std::chrono::microseconds time, const std::stop_token& stop) {
  Mutex mutex;
  StoppableCondVar never;
  std::optional<LongWait> lean;
  if (time > LongWait::kBegins) lean.emplace();
  MutexLock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace toolway
