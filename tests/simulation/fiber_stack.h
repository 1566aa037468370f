#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace toolway::simulation {

/// Tells a sanitizer, if there is one, which stack the program runs on: it cannot see swapcontext.
/// Each function is called on the stack its name says, next to the switch.
#if defined(__SANITIZE_ADDRESS__)
class FiberStack {
 public:
  FiberStack(const void* bottom, std::size_t size) : bottom_(bottom), size_(size) {}
  void outside_before_resume() { __sanitizer_start_switch_fiber(&outside_frames_, bottom_, size_); }
  void inside_after_begin() {
    __sanitizer_finish_switch_fiber(nullptr, &outside_bottom_, &outside_size_);
  }
  void inside_before_wait() {
    __sanitizer_start_switch_fiber(&own_frames_, outside_bottom_, outside_size_);
  }
  void inside_after_wait() {
    __sanitizer_finish_switch_fiber(own_frames_, &outside_bottom_, &outside_size_);
  }
  void inside_before_end() {
    __sanitizer_start_switch_fiber(nullptr, outside_bottom_, outside_size_);
  }
  void outside_after_resume() {
    __sanitizer_finish_switch_fiber(outside_frames_, nullptr, nullptr);
  }

 private:
  const void* bottom_;
  std::size_t size_;
  const void* outside_bottom_ = nullptr;
  std::size_t outside_size_ = 0;
  void* own_frames_ = nullptr;
  void* outside_frames_ = nullptr;
};
#elif defined(__SANITIZE_THREAD__)
class FiberStack {
 public:
  // Inline, so that no function is left on another stack than it was entered on.
  FiberStack(const void*, std::size_t) : own_(__tsan_create_fiber(0)) {}
  ~FiberStack() { __tsan_destroy_fiber(own_); }
  FiberStack(const FiberStack&) = delete;
  FiberStack& operator=(const FiberStack&) = delete;
  [[gnu::always_inline]] void outside_before_resume() {
    outside_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(own_, 0);
  }
  void inside_after_begin() {}
  [[gnu::always_inline]] void inside_before_wait() { __tsan_switch_to_fiber(outside_, 0); }
  void inside_after_wait() {}
  [[gnu::always_inline]] void inside_before_end() { __tsan_switch_to_fiber(outside_, 0); }
  void outside_after_resume() {}

 private:
  void* own_;
  void* outside_ = nullptr;
};
#else
class FiberStack {
 public:
  FiberStack(const void*, std::size_t) {}
  void outside_before_resume() {}
  void inside_after_begin() {}
  void inside_before_wait() {}
  void inside_after_wait() {}
  void inside_before_end() {}
  void outside_after_resume() {}
};
#endif

}  // namespace toolway::simulation
