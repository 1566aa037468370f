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

Spawner spawner_with(std::function<void()> begin) {
  if (!begin) return spawn_thread;
  return [begin = std::move(begin)](std::function<void()> body) {
    return spawn_thread([begin, body = std::move(body)] {
      begin();
      body();
    });
  };
}

}  // namespace toolway::workers::threads
