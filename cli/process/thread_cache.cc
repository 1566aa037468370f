#include "cli/process/thread_cache.h"

#include <cstddef>

/// jemalloc's; a build with a sanitizer has none.
extern "C" int mallctl(const char* name, void* old, std::size_t* old_size, void* made,
                       std::size_t size) noexcept __attribute__((weak));

namespace toolway::cli::process {

void forgo_thread_cache() {
  if (mallctl == nullptr) return;
  bool enabled = false;
  static_cast<void>(mallctl("thread.tcache.enabled", nullptr, nullptr, &enabled, sizeof enabled));
}

}  // namespace toolway::cli::process
