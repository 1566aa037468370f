#include "base/long_wait.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

/// jemalloc's; a build with a sanitizer has none.
extern "C" int mallctl(const char* name, void* old, std::size_t* old_size, void* made,
                       std::size_t size) noexcept __attribute__((weak));

namespace toolway {
namespace {

void set_thread_cache(bool enabled) {
  static_cast<void>(mallctl("thread.tcache.enabled", nullptr, nullptr, &enabled, sizeof enabled));
}

struct Stack {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;
};

/// The system's, of this thread. Empty: it cannot be known.
Stack own_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  std::size_t size = 0;
  const int failed = pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  if (failed != 0) return {};
  const auto begin = reinterpret_cast<std::uintptr_t>(low);
  return {begin, begin + size};
}

/// Pages below this function's frame, which earlier calls have used. On another stack (of a fiber)
/// there is nothing to be known of it.
void give_back_unused_stack() {
  static thread_local const Stack stack = own_stack();
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (here <= stack.low + 2 * page || here >= stack.high) return;
  // The page after this one's is for the functions that are called here.
  const auto end = (here - page) / page * page;
  // What fails here keeps memory and nothing else.
  static_cast<void>(madvise(reinterpret_cast<void*>(stack.low), end - stack.low, MADV_DONTNEED));
}

}  // namespace

LongWait::LongWait() {
  if (mallctl == nullptr) return;
  set_thread_cache(false);
  give_back_unused_stack();
}

LongWait::~LongWait() {
  if (mallctl != nullptr) set_thread_cache(true);
}

}  // namespace toolway
