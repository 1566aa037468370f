#include "tools/executors/python/interpreter_pool.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/mutex.h"

namespace toolway::tools::executors::python {
namespace {

constexpr std::chrono::seconds kIdle{60};  // then those beyond `warm` go
constexpr std::chrono::milliseconds kMaxRest{5000};

model::ToolError unavailable(const Error& why) {
  model::ToolError error("python_unavailable", why.message);
  error.retryable = true;
  return error;
}

/// At least one is warm, and as many as are warm may be there.
PythonOptions with_bounds(PythonOptions options) {
  options.warm = std::max<std::size_t>(options.warm, 1);
  options.processes = std::max(options.processes, options.warm);
  return options;
}

}  // namespace

InterpreterPool::InterpreterPool(PythonOptions options, const Clock& clock)
    : options_(with_bounds(std::move(options))), clock_(clock) {}

Result<void> InterpreterPool::wait_until_warm(std::chrono::seconds patience) {
  MutexLock lock(mutex_);
  changed_.wait_for(lock, patience,
                    [this]() REQUIRES(mutex_) { return idle_.size() >= options_.warm || broken_; });
  return broken_ ? Result<void>(fail(*broken_)) : Result<void>();
}

model::ToolResult<std::unique_ptr<Interpreter>> InterpreterPool::take(std::stop_token cancelled) {
  MutexLock lock(mutex_);
  for (;;) {
    while (!idle_.empty()) {
      auto interpreter = std::move(idle_.back());
      idle_.pop_back();
      ++busy_;
      const bool more = missing() > 0;
      lock.unlock();
      if (more) wake_.call();
      if (interpreter->waits_for_call()) return interpreter;
      lock.lock();
      --busy_;
      interpreter->spent = true;
      leave(std::move(interpreter));
    }
    if (cancelled.stop_requested()) {
      return tl::unexpected(model::ToolError(std::string(code_name(ErrorCode::kCancelled)),
                                             "the call was cancelled before it began"));
    }
    if (hopeless()) return tl::unexpected(unavailable(*broken_));
    ++waiting_;
    wake_.call();
    changed_.wait(lock, cancelled,
                  [this]() REQUIRES(mutex_) { return !idle_.empty() || hopeless(); });
    --waiting_;
  }
}

void InterpreterPool::bring_back(std::unique_ptr<Interpreter> interpreter,
                                 PythonCallEnd::Interpreter state) {
  {
    const MutexLock lock(mutex_);
    --busy_;
    if (state == PythonCallEnd::Interpreter::kStale && interpreter->generation == generation_) {
      // The others have imported the same files.
      ++generation_;
      for (auto& one : idle_) {
        if (one->calls > 0) leave(std::move(one));
      }
      std::erase(idle_, nullptr);
    }
    const bool old = interpreter->generation != generation_ && interpreter->calls > 0;
    if (state == PythonCallEnd::Interpreter::kGood && !old &&
        interpreter->calls < options_.calls_per_process) {
      interpreter->since = clock_.monotonic();
      idle_.push_back(std::move(interpreter));
    } else {
      interpreter->spent = state == PythonCallEnd::Interpreter::kSpent;
      leave(std::move(interpreter));
    }
    if (waiting_ == 0) return;
  }
  changed_.notify_one();
}

void InterpreterPool::leave(std::unique_ptr<Interpreter> interpreter) {
  leaving_.push_back(std::move(interpreter));
  wake_.call();
}

InterpreterPool::Counts InterpreterPool::counts() const {
  const MutexLock lock(mutex_);
  return {.idle = idle_.size(), .busy = busy_, .starting = starting_, .started = started_};
}

std::string InterpreterPool::version() const {
  const MutexLock lock(mutex_);
  return version_;
}

std::size_t InterpreterPool::missing() const {
  const std::size_t there = idle_.size() + busy_ + starting_;
  // One more than is needed now: for the next call, or one that loses its own.
  const std::size_t wanted = std::clamp(busy_ + waiting_ + 1, options_.warm, options_.processes);
  return wanted > there ? wanted - there : 0;
}

std::optional<std::size_t> InterpreterPool::begin_start() {
  const MutexLock lock(mutex_);
  if (missing() == 0 || clock_.monotonic() < not_before_) return std::nullopt;
  ++starting_;
  return generation_;
}

void InterpreterPool::ready(std::unique_ptr<Interpreter> interpreter) {
  const MutexLock lock(mutex_);
  --starting_;
  ++started_;
  failures_ = 0;
  broken_.reset();
  version_ = interpreter->version();
  interpreter->since = clock_.monotonic();
  // In front: those that have run calls have imported what the next ones need.
  idle_.insert(idle_.begin(), std::move(interpreter));
  changed_.notify_all();
}

void InterpreterPool::not_started(const Error& error) {
  const MutexLock lock(mutex_);
  --starting_;
  broke(error);
}

void InterpreterPool::broken(const Error& error) {
  const MutexLock lock(mutex_);
  broke(error);
}

void InterpreterPool::broke(const Error& error) {
  broken_ = Error{error.code, fmt::format("interpreter '{}' does not start: {}",
                                          options_.interpreter, error.message)};
  if (failures_++ == 0) spdlog::error("python: {}", broken_->message);
  not_before_ = clock_.monotonic() + std::min<std::chrono::milliseconds>(
                                         std::chrono::milliseconds(100 << std::min(failures_, 6U)),
                                         std::chrono::seconds(5));
  changed_.notify_all();
}

std::vector<std::unique_ptr<Interpreter>> InterpreterPool::take_leaving() {
  const MutexLock lock(mutex_);
  return std::exchange(leaving_, {});
}

std::chrono::milliseconds InterpreterPool::rest(bool may_start) {
  const MutexLock lock(mutex_);
  if (!leaving_.empty()) return {};
  retire_idle();
  if (missing() == 0 || !may_start) return kMaxRest;
  return std::clamp(
      std::chrono::duration_cast<std::chrono::milliseconds>(not_before_ - clock_.monotonic()) +
          std::chrono::milliseconds(1),
      std::chrono::milliseconds(1), kMaxRest);
}

void InterpreterPool::retire_idle() {
  const std::size_t keep = std::max(options_.warm, busy_ + 1);
  while (idle_.size() + busy_ > keep && !idle_.empty() &&
         clock_.monotonic() - idle_.front()->since > kIdle) {
    leaving_.push_back(std::move(idle_.front()));
    idle_.erase(idle_.begin());
    wake_.call();
  }
}

void InterpreterPool::clear() {
  const MutexLock lock(mutex_);
  idle_.clear();
  leaving_.clear();
}

}  // namespace toolway::tools::executors::python
