#include "tests/memory/workers/scarce_memory.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

namespace toolway::test {
namespace {

thread_local bool watched = false;
std::atomic<std::uint64_t> asked{0};
std::atomic<std::uint64_t> first_failing{0};
std::atomic<std::uint64_t> failing{0};

bool fails() noexcept {
  if (!watched) return false;
  const std::uint64_t number = ++asked;
  return number >= first_failing && number - first_failing < failing;
}

/// Null: none is left.
void* taken(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept {
  if (fails()) return nullptr;
  size = (size + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, size == 0 ? alignment : size);
}

void* taken_or_throw(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
  void* const memory = taken(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// An exception that leaves a thread, a destructor or what is noexcept ends the process: say where.
[[noreturn]] void say_and_abort() {
  std::array<char, 120> line{};
  const int length =
      std::snprintf(line.data(), line.size(), "terminated: allocation %llu had failed\n",
                    static_cast<unsigned long long>(first_failing.load()));
  if (write(STDERR_FILENO, line.data(), static_cast<std::size_t>(length)) < 0) std::abort();
  std::abort();
}

}  // namespace

void fail_allocations(std::uint64_t first, std::uint64_t count) {
  std::set_terminate(say_and_abort);
  failing = 0;
  asked = 0;
  first_failing = first;
  failing = count;
}

std::uint64_t allocations() { return asked; }

void allocate() {
  if (fails()) throw std::bad_alloc();
}

Watch::Watch(Mode mode) : before_(watched) { watched = mode == Mode::kOn; }
Watch::~Watch() { watched = before_; }

}  // namespace toolway::test

using toolway::test::taken;
using toolway::test::taken_or_throw;

// All forms, so that a sanitizer's own never frees what these have allocated.
void* operator new(std::size_t size) { return taken_or_throw(size); }
void* operator new[](std::size_t size) { return taken_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return taken_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return taken_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return taken(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return taken(size); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return taken(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return taken(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
