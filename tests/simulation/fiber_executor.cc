#include "tests/simulation/fiber_executor.h"

namespace toolway::simulation {

std::shared_ptr<FiberExecutor::Running> FiberExecutor::current_;

void FiberExecutor::submit(std::shared_ptr<workers::threads::Job> job) {
  if (stopped_) return;
  // A waiting thread takes it at once; a busy machine takes its time.
  const Micros delay = around_.weather.latency();
  process_->after(delay, [this, job = std::move(job)] { begin([job] { job->run(); }); });
}

void FiberExecutor::run(std::function<void()> body) {
  process_->after(Micros(0), [this, body = std::move(body)] {
    begin([body] {
      try {
        body();
      } catch (const Killed&) {
        return;  // with its process
      }
    });
  });
}

void FiberExecutor::begin(std::function<void()> body) {
  if (stopped_) return;
  auto running = std::make_shared<Running>();
  running->executor = this;
  running->fiber = std::make_unique<Fiber>(std::move(body));
  running_.push_back(running);
  go_on(running);
}

void FiberExecutor::go_on(const std::shared_ptr<Running>& running) {
  const auto before = std::exchange(current_, running);
  running->fiber->resume();
  current_ = before;
  if (running->fiber->ended()) running_.remove(running);
}

void FiberExecutor::wake(const std::shared_ptr<Running>& running, std::uint64_t sleep,
                         Micros delay) {
  running->executor->process_->after(delay, [running, sleep] {
    if (running->sleep == sleep && !running->fiber->ended()) running->executor->go_on(running);
  });
}

void FiberExecutor::sleep(Micros time, const std::stop_token& stop) {
  const auto self = current_;
  const std::uint64_t sleep = ++self->sleep;
  {
    const std::stop_callback stopped(stop, [self, sleep] { wake(self, sleep, Micros(1)); });
    wake(self, sleep, time);
    Fiber::wait();
    ++self->sleep;
  }
  if (self->killed) throw Killed();
}

void FiberExecutor::wait(MutexLock& lock, StoppableCondVar&, const std::stop_token& stop,
                         const std::function<bool()>& done) {
  constexpr std::chrono::milliseconds kLook{20};
  while (!done() && !stop.stop_requested()) {
    lock.unlock();
    sleep(kLook, stop);
    lock.lock();
  }
}

Process& FiberExecutor::process() { return *current_->executor->process_; }

void FiberExecutor::stop(std::chrono::milliseconds) {
  stopped_ = true;
  while (!running_.empty()) {
    const auto running = running_.front();
    running->killed = true;
    go_on(running);
  }
}

}  // namespace toolway::simulation
