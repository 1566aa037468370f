// The thread of the pool: starts interpreters, and ends them.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "base/mutex.h"
#include "tools/executors/python/interpreter_pool.h"

namespace toolway::tools {
namespace {

constexpr std::size_t kAtOnce = 4;                        // more only get in each other's way
constexpr std::chrono::seconds kReadyPatience{20};        // to start and import what it needs
constexpr std::chrono::milliseconds kLeavePatience{500};  // for what a tool's modules do at exit
constexpr std::chrono::seconds kIdle{60};                 // then those beyond `warm` go

}  // namespace

void InterpreterPool::keep() {
  std::vector<Starting> starting;
  std::vector<Leaving> leaving;
  const auto host = make_host_file();
  if (!host) failed_to_start(host.error());
  for (;;) {
    if (host) start_missing(starting, *host);
    bury(leaving);
    int patience = 5000;
    {
      const MutexLock lock(mutex_);
      if (stopping_) break;
      if (!leaving_.empty()) continue;
      retire_idle();
      if (missing() > 0 && starting.size() < kAtOnce) {
        patience = static_cast<int>(std::clamp<std::int64_t>(
            (not_before_ - Clock::now()) / std::chrono::milliseconds(1) + 1, 1, 5000));
      }
    }
    std::vector<pollfd> files{{wake_.get(), POLLIN, 0}};
    for (const auto& one : starting) files.push_back({one.interpreter->socket(), POLLIN, 0});
    for (const auto& one : leaving) files.push_back({one.interpreter->child().pidfd(), POLLIN, 0});
    if (!leaving.empty()) patience = std::min(patience, 50);
    poll(files.data(), files.size(), patience);
    wake_.clear();
    look_at(starting);
  }
  // Killed as they are destroyed.
  const MutexLock lock(mutex_);
  idle_.clear();
  leaving_.clear();
}

void InterpreterPool::start_missing(std::vector<Starting>& starting,
                                    const os::FileDescriptor& host) {
  for (;;) {
    std::size_t generation = 0;
    {
      const MutexLock lock(mutex_);
      if (stopping_ || missing() == 0 || starting.size() >= kAtOnce || Clock::now() < not_before_)
        return;
      ++starting_;
      generation = generation_;
    }
    auto interpreter = Interpreter::start(options_, host);
    if (!interpreter) {
      {
        const MutexLock lock(mutex_);
        --starting_;
      }
      return failed_to_start(interpreter.error());
    }
    (*interpreter)->generation = generation;
    starting.push_back({std::move(*interpreter), Clock::now() + kReadyPatience});
  }
}

void InterpreterPool::look_at(std::vector<Starting>& starting) {
  for (auto& one : starting) {
    const auto ready = one.interpreter->ready();
    if (ready && !*ready && Clock::now() < one.until) continue;
    auto interpreter = std::move(one.interpreter);
    if (ready && *ready) {
      const MutexLock lock(mutex_);
      --starting_;
      ++started_;
      failures_ = 0;
      broken_.reset();
      version_ = interpreter->version();
      interpreter->since = Clock::now();
      // In front: those that have run calls have imported what the next ones need.
      idle_.insert(idle_.begin(), std::move(interpreter));
      changed_.notify_all();
    } else {
      {
        const MutexLock lock(mutex_);
        --starting_;
      }
      failed_to_start(ready ? Error{ErrorCode::kTimeout, fmt::format("it was not ready after {} s",
                                                                     kReadyPatience.count())}
                            : ready.error());
    }
  }
  std::erase_if(starting, [](const auto& one) { return one.interpreter == nullptr; });
}

void InterpreterPool::bury(std::vector<Leaving>& leaving) {
  std::vector<std::unique_ptr<Interpreter>> more;
  {
    const MutexLock lock(mutex_);
    more.swap(leaving_);
  }
  for (auto& interpreter : more) {
    // At once: once it has ended by itself, what it started can no longer be found.
    if (interpreter->spent) continue;
    interpreter->hang_up();
    leaving.push_back({std::move(interpreter), Clock::now() + kLeavePatience});
  }
  std::erase_if(leaving, [](const Leaving& one) {
    pollfd ended{one.interpreter->child().pidfd(), POLLIN, 0};
    return poll(&ended, 1, 0) > 0 || Clock::now() >= one.until;
  });
}

void InterpreterPool::retire_idle() {
  const std::size_t keep = std::max(options_.warm, busy_ + 1);
  while (idle_.size() + busy_ > keep && !idle_.empty() &&
         Clock::now() - idle_.front()->since > kIdle) {
    leaving_.push_back(std::move(idle_.front()));
    idle_.erase(idle_.begin());
    wake_.call();
  }
}

}  // namespace toolway::tools
