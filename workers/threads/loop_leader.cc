#include "workers/threads/loop_leader.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <utility>

#include "base/contained.h"

namespace toolway::workers::threads {
std::shared_ptr<LoopLeader> LoopLeader::start(bus::LoopThread& turns, const Clock& clock,
                                              LoopLeaderOptions options) {
  os::FileDescriptor alarm(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  if (!alarm) return nullptr;
  const std::shared_ptr<LoopLeader> self(
      new LoopLeader(turns, clock, std::move(options), std::move(alarm)));
  turns.stop();
  {
    const MutexLock lock(self->mutex_);
    self->led_ = self->spawn(Role::kLeads);
    if (self->led_) {
      self->followed_ = self->spawn(Role::kFollows);
      return self;
    }
  }
  turns.start();
  return nullptr;
}

bool LoopLeader::spawn(Role role) {
  return options_.spawner([self = shared_from_this(), role] { self->thread_main(role); });
}

void LoopLeader::end() {
  {
    MutexLock lock(mutex_);
    ending_ = true;
    turns_.loop().wake();
    set_alarm(std::chrono::nanoseconds(1));
    ended_.wait(lock, [this]() REQUIRES(mutex_) { return !led_; });
  }
  turns_.start();
}

bool LoopLeader::take(const std::shared_ptr<Job>& job, const std::shared_ptr<JobHost>& host) {
  if (!turns_.loop().here()) return false;
  const MutexLock lock(mutex_);
  if (ending_) return false;
  if (!followed_) {
    const MonotonicTime at = clock_.monotonic();
    if (at < spawn_at_) return false;
    spawn_at_ = at + options_.new_follower_after;
    contained("a thread that follows",
              [&]() REQUIRES(mutex_) { followed_ = spawn(Role::kFollows); });
    if (!followed_) return false;
  }
  queue_.push_back({job, host});
  return true;
}

void LoopLeader::thread_main(Role role) {
  for (;;) {
    if (role == Role::kFollows) {
      if (!follow()) return;
      role = Role::kLeads;
    } else {
      if (!lead()) return;
      const MutexLock lock(mutex_);
      if (ending_ || followed_) return;
      followed_ = true;
      role = Role::kFollows;
    }
  }
}

bool LoopLeader::lead() {
  for (;;) {
    turns_.loop().wait();
    switch (run_jobs()) {
      case Lead::kKept: break;
      case Lead::kLost: return true;
      case Lead::kEnded: return false;
    }
  }
}

LoopLeader::Lead LoopLeader::run_jobs() {
  std::uint64_t term = 0;
  {
    const MutexLock lock(mutex_);
    if (ending_) {
      turns_.loop().disown();
      no_longer_led();
      return Lead::kEnded;
    }
    if (queue_.empty()) return Lead::kKept;
    term = term_;
    running_ = true;
    late_at_ = clock_.monotonic() + options_.longest_absence;
    set_alarm(options_.longest_absence);
    turns_.loop().pause();
  }
  const MonotonicTime until = clock_.monotonic() + options_.budget;
  for (;;) {
    Queue rest;
    Waiting next;
    {
      const MutexLock lock(mutex_);
      if (term_ != term) return Lead::kLost;
      if (queue_.empty() || clock_.monotonic() >= until) {
        running_ = false;
        rest.swap(queue_);
        if (!ending_) set_alarm({});
      } else {
        next = std::move(queue_.front());
        queue_.pop_front();
      }
    }
    if (!next.job) {
      run_elsewhere(std::move(rest));
      return Lead::kKept;
    }
    next.host->run_here(*next.job);
  }
}

bool LoopLeader::follow() {
  for (;;) {
    std::uint64_t expirations = 0;
    [[maybe_unused]] const auto taken = read(alarm_.get(), &expirations, sizeof expirations);
    Queue rest;
    {
      const MutexLock lock(mutex_);
      if (!ending_ && (!running_ || clock_.monotonic() < late_at_)) continue;
      followed_ = false;
      if (ending_ && !running_) return false;
      ++term_;
      running_ = false;
      if (ending_) {
        no_longer_led();
        return false;
      }
      spawn_at_ = clock_.monotonic() + options_.new_follower_after;
      rest.swap(queue_);
    }
    run_elsewhere(std::move(rest));
    return true;
  }
}

void LoopLeader::no_longer_led() {
  led_ = false;
  ended_.notify_all();
}

void LoopLeader::run_elsewhere(Queue jobs) {
  for (auto& waiting : jobs) {
    // Without memory for it, the call's own limits end it, or it is delivered again.
    contained("a quick call", [&] { waiting.host->run_elsewhere(std::move(waiting.job)); });
  }
}

void LoopLeader::set_alarm(std::chrono::nanoseconds in) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(in);
  itimerspec spec{};
  spec.it_value.tv_sec = seconds.count();
  spec.it_value.tv_nsec = (in - seconds).count();
  timerfd_settime(alarm_.get(), 0, &spec, nullptr);
}

}  // namespace toolway::workers::threads
