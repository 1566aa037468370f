#include "bus/loop.h"

#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/contained.h"
#include "bus/handler_gate.h"

namespace toolway::bus {
namespace {

os::FileDescriptor opened(int number) {
  if (number < 0) throw std::system_error(errno, std::generic_category(), "a loop");
  return os::FileDescriptor(number);
}

void control(int epoll, int operation, int file, std::uint32_t events, void* data) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = data;
  // Fails only for a socket that nats.c has closed: there is nothing to wait for.
  epoll_ctl(epoll, operation, file, &event);
}

}  // namespace

struct Loop::Timer::Timed {
  explicit Timed(Task runs) : task(std::move(runs)) {}
  const Task task;
  HandlerGate gate;
  MonotonicTime when = MonotonicTime::max();  ///< under the loop's mutex
};

Loop::Loop(Watch watch)
    : watch_(std::move(watch)),
      epoll_(opened(epoll_create1(EPOLL_CLOEXEC))),
      timer_(opened(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))) {
  if (!wake_) throw std::system_error(errno, std::generic_category(), "a loop");
  control(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), EPOLLIN, nullptr);
  control(epoll_.get(), EPOLL_CTL_ADD, timer_.get(), EPOLLIN, this);
}

void Loop::run() {
  while (!stopped_.exchange(false, std::memory_order_acq_rel)) wait();
  disown();
}

void Loop::wait() {
  if (watch_.begins && !here()) watch_.begins();
  turn(-1);
  if (watch_.ended) watch_.ended();
}

void Loop::disown() { thread_.store(std::thread::id(), std::memory_order_relaxed); }

void Loop::pause() {
  disown();
  paused_ = true;
  woken_.store(true, std::memory_order_relaxed);
}

void Loop::stop() {
  stopped_.store(true, std::memory_order_release);
  wake_.call();
}

void Loop::turn(int timeout_ms) {
  thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  turning_ = true;
  if (std::exchange(paused_, false)) {
    // What others did before they found it called is seen below.
    woken_.exchange(false, std::memory_order_acq_rel);
    timeout_ms = 0;
  }
  std::array<epoll_event, 16> events;
  const int count = epoll_wait(epoll_.get(), events.data(), events.size(), timeout_ms);
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    if (event.data.ptr == nullptr) {
      wake_.clear();
      // What others did before they found it still called is seen below.
      woken_.exchange(false, std::memory_order_acq_rel);
    } else if (event.data.ptr == this) {
      std::uint64_t expirations = 0;
      [[maybe_unused]] const auto taken = read(timer_.get(), &expirations, sizeof expirations);
    } else {
      contained("a turn of the bus",
                [&] { static_cast<Source*>(event.data.ptr)->ready(event.events); });
    }
  }
  run_timers();
  end_turn();
}

void Loop::end_turn() {
  turning_ = true;
  asked_ = false;
  run_tasks();
  for (auto* source : sources_) contained("a turn of the bus", [&] { source->end_turn(); });
  turning_ = false;
}

void Loop::run_tasks() {
  {
    const MutexLock lock(mutex_);
    running_.swap(tasks_);
  }
  for (auto& task : running_) contained("a task of the bus", task);
  running_.clear();
}

/// One after the other, since each may set or end others.
void Loop::run_timers() {
  for (;;) {
    std::shared_ptr<Timer::Timed> due;
    {
      const MutexLock lock(mutex_);
      const MonotonicTime now = std::chrono::steady_clock::now();
      if (now < clock_) return;
      for (const auto& timed : timed_) {
        if (timed->when <= now && (!due || timed->when < due->when)) due = timed;
      }
      if (due) due->when = MonotonicTime::max();
      set_clock();
    }
    if (!due) return;
    contained("a timer of the bus", [&] { due->gate.run(due->task); });
  }
}

void Loop::wake() {
  if (here()) {
    if (turning_) return;
    if (ask_) {
      if (!std::exchange(asked_, true)) ask_();
      return;
    }
  }
  make_readable();
}

void Loop::make_readable() {
  if (!woken_.exchange(true, std::memory_order_acq_rel)) wake_.call();
}

void Loop::post(Task task) {
  {
    const MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  // In a turn its tasks may have been taken already: they need another one.
  if (here() && turning_) return make_readable();
  wake();
}

void Loop::set_clock() {
  MonotonicTime soonest = MonotonicTime::max();
  for (const auto& timed : timed_) soonest = std::min(soonest, timed->when);
  if (soonest == std::exchange(clock_, soonest)) return;
  itimerspec spec{};  // zero: none
  if (soonest != MonotonicTime::max()) {
    const auto since = std::max(soonest.time_since_epoch(), std::chrono::nanoseconds(1));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
    spec.it_value.tv_sec = seconds.count();
    spec.it_value.tv_nsec = (since - seconds).count();
  }
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
}

Loop::Timer::Timer(Loop& loop, Task task)
    : loop_(loop), timed_(std::make_shared<Timed>(std::move(task))) {
  const MutexLock lock(loop_.mutex_);
  loop_.timed_.push_back(timed_);
}

void Loop::Timer::stop() {
  {
    const MutexLock lock(loop_.mutex_);
    std::erase(loop_.timed_, timed_);
  }
  timed_->gate.close();
}

void Loop::Timer::set(MonotonicTime when) {
  const MutexLock lock(loop_.mutex_);
  timed_->when = when;
  loop_.set_clock();
}

void Loop::add(Source& source) { sources_.push_back(&source); }

void Loop::remove(Source& source) { std::erase(sources_, &source); }

void Loop::watch(Source& source, int socket) {
  control(epoll_.get(), EPOLL_CTL_ADD, socket, EPOLLIN, &source);
}

void Loop::watch_writable(Source& source, int socket, bool wanted) {
  control(epoll_.get(), EPOLL_CTL_MOD, socket, EPOLLIN | (wanted ? EPOLLOUT : 0U), &source);
}

void Loop::forget(int socket) { control(epoll_.get(), EPOLL_CTL_DEL, socket, 0, nullptr); }

}  // namespace toolway::bus
