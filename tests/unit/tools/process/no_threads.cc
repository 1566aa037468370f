#include "tests/unit/tools/process/no_threads.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <limits>

namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();
std::atomic<int> spare_threads{kNoLimit};
std::atomic<int> refused_threads{0};

/// Whether the process may have one more.
bool take_one() {
  int spare = spare_threads;
  while (spare != kNoLimit) {
    if (spare == 0) return false;
    if (spare_threads.compare_exchange_weak(spare, spare - 1)) return true;
  }
  return true;
}

}  // namespace

/// In front of the C library's, for this program and the libraries it uses.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (take_one()) return create(thread, attributes, body, argument);
  ++refused_threads;
  return EAGAIN;
}

namespace toolway::test {

NoThreads::NoThreads(int spare) {
  refused_threads = 0;
  spare_threads = spare;
}

NoThreads::~NoThreads() { spare_threads = kNoLimit; }

int NoThreads::refused() const { return refused_threads; }

}  // namespace toolway::test
