#include "tests/simulation/fiber.h"

#include <cstdlib>
#include <vector>

namespace toolway::simulation {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;

Fiber* running = nullptr;
std::vector<std::unique_ptr<char[]>> free_stacks;

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  if (free_stacks.empty()) {
    stack_.reset(new char[kStackBytes]);  // not zeroed: most of it is never touched
  } else {
    stack_ = std::move(free_stacks.back());
    free_stacks.pop_back();
  }
  getcontext(&own_);
  own_.uc_stack.ss_sp = stack_.get();
  own_.uc_stack.ss_size = kStackBytes;
  own_.uc_link = &outside_;
  makecontext(&own_, &Fiber::enter, 0);
}

Fiber::~Fiber() {
  if (!ended_) std::abort();  // what lies on its stack would never be destroyed
  free_stacks.push_back(std::move(stack_));
}

void Fiber::enter() {
  running->body_();
  running->body_ = nullptr;
  running->ended_ = true;
}

void Fiber::resume() {
  Fiber* const before = running;
  running = this;
  swapcontext(&outside_, &own_);
  running = before;
}

void Fiber::wait() {
  Fiber* const self = running;
  swapcontext(&self->own_, &self->outside_);
}

Fiber* Fiber::current() { return running; }

}  // namespace toolway::simulation
