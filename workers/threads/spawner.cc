#include "workers/threads/spawner.h"

#include <exception>
#include <thread>
#include <utility>

namespace toolway::workers::threads {

bool spawn_thread(std::function<void()> body) {
  try {
    // Detached, since an abandoned thread may never end.
    std::thread(std::move(body)).detach();
    return true;
  } catch (const std::exception&) {  // EAGAIN: no thread; or no memory for one
    return false;
  }
}

}  // namespace toolway::workers::threads
