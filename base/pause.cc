#include "base/pause.h"

#include "base/mutex.h"

namespace toolway {

bool pause(std::chrono::microseconds time, const std::stop_token& stop) {
  Mutex mutex;
  StoppableCondVar never;
  MutexLock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace toolway
