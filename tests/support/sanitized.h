#pragma once

#include <cstdint>

namespace toolway::test {

/// The bound on resident memory, in KiB, of a program that was asked to stay below `kib`: a
/// sanitizer shadows every byte and pads every allocation, and AddressSanitizer keeps 256 MiB of
/// what was freed, so that it sees a late use.
constexpr std::int64_t resident_bound(std::int64_t kib) {
#if defined(__SANITIZE_THREAD__)
  return 8 * kib + 64 * 1024;
#elif defined(__SANITIZE_ADDRESS__)
  return 3 * kib + 256 * 1024;
#else
  return kib;
#endif
}

/// What is left of something that must have happened at least `times` times in a given time.
constexpr int at_least(int times) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return times / 5;
#else
  return times;
#endif
}

/// What may take at most `ms` otherwise.
constexpr double time_bound(double ms) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return 10 * ms;
#else
  return ms;
#endif
}

}  // namespace toolway::test
