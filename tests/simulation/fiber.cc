#include "tests/simulation/fiber.h"

#include <cstdlib>
#include <vector>

namespace toolway::simulation {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;

Fiber* running = nullptr;
std::vector<std::unique_ptr<char[]>> free_stacks;

std::unique_ptr<char[]> take_stack() {
  // Not zeroed: most of it is never touched.
  if (free_stacks.empty()) return std::unique_ptr<char[]>(new char[kStackBytes]);
  auto stack = std::move(free_stacks.back());
  free_stacks.pop_back();
  return stack;
}

}  // namespace

Fiber::Fiber(std::function<void()> body)
    : body_(std::move(body)), stack_(take_stack()), seen_(stack_.get(), kStackBytes) {
  getcontext(&own_);
  own_.uc_stack.ss_sp = stack_.get();
  own_.uc_stack.ss_size = kStackBytes;
  makecontext(&own_, &Fiber::enter, 0);
}

Fiber::~Fiber() {
  if (!ended_) std::abort();  // what lies on its stack would never be destroyed
  free_stacks.push_back(std::move(stack_));
}

void Fiber::enter() {
  Fiber* const self = running;
  self->seen_.inside_after_begin();
  self->body_();
  self->body_ = nullptr;
  self->ended_ = true;
  self->seen_.inside_before_end();
  // Left, not returned from: ThreadSanitizer would see the end of a function that began on another
  // stack.
  setcontext(&self->outside_);
  std::abort();
}

void Fiber::resume() {
  Fiber* const before = running;
  running = this;
  seen_.outside_before_resume();
  swapcontext(&outside_, &own_);
  seen_.outside_after_resume();
  running = before;
}

void Fiber::wait() {
  Fiber* const self = running;
  self->seen_.inside_before_wait();
  swapcontext(&self->own_, &self->outside_);
  self->seen_.inside_after_wait();
}

Fiber* Fiber::current() { return running; }

}  // namespace toolway::simulation
