#pragma once

namespace toolway::cli::process {

/// From now on this thread keeps no memory for itself: what it frees, others get. For threads that
/// mostly wait, and are many: a cache of jemalloc's took a quarter of a megabyte of each turn that
/// waited for its model, and 43 KB of each HTTP call. Does nothing with another allocator.
void forgo_thread_cache();

}  // namespace toolway::cli::process
