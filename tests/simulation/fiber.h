#pragma once

#include <ucontext.h>

#include <functional>
#include <memory>

#include "tests/simulation/fiber_stack.h"

namespace toolway::simulation {

/// A function that can stop in the middle and continue later, on a stack of its own: it
/// stands in for a thread where there is only one. Use it only on its schedule's thread.
class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs until it waits or ends. Not from within itself.
  void resume();
  bool ended() const { return ended_; }

  /// Stops the running fiber until it is resumed.
  static void wait();
  /// The running fiber; null outside of any.
  static Fiber* current();

 private:
  static void enter();

  std::function<void()> body_;
  std::unique_ptr<char[]> stack_;
  FiberStack seen_;  ///< by sanitizers
  ucontext_t own_{};
  ucontext_t outside_{};
  bool ended_ = false;
};

}  // namespace toolway::simulation
