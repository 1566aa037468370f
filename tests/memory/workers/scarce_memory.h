#pragma once

#include <cstdint>

/// Memory that runs out when a test says so: this program's operator new (scarce_memory.cc).
namespace toolway::test {

/// Of the code that is watched, the allocations from the `first` on (1: the next), `count` of them,
/// fail with std::bad_alloc; 0: none does. Starts to count them again. Any thread.
void fail_allocations(std::uint64_t first, std::uint64_t count);
/// How many allocations the watched code has asked for since then.
std::uint64_t allocations();
/// Counts as an allocation: what a part that is not watched itself may run out of.
void allocate();

/// While one lives, what this thread allocates is watched, or not. The innermost one decides.
class Watch {
 public:
  enum class Mode : bool { kOff, kOn };
  explicit Watch(Mode mode = Mode::kOn);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  const bool before_;
};

}  // namespace toolway::test
