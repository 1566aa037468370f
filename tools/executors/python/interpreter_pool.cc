#include "tools/executors/python/interpreter_pool.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>

#include "base/mutex.h"
#include "base/try.h"
#include "tools/process/shortage.h"

namespace toolway::tools {
namespace {

constexpr std::chrono::seconds kStartPatience{20};

ToolError unavailable(const Error& why) {
  ToolError error("python_unavailable", why.message);
  error.retryable = true;
  return error;
}

}  // namespace

Result<std::shared_ptr<InterpreterPool>> InterpreterPool::start(PythonOptions options) {
  options.warm = std::max<std::size_t>(options.warm, 1);
  options.processes = std::max(options.processes, options.warm);
  const std::size_t warm = options.warm;
  std::shared_ptr<InterpreterPool> pool(new InterpreterPool(std::move(options)));
  if (!pool->wake_)
    return fail(ErrorCode::kOverloaded,
                "cannot start the interpreters: no file descriptors are left");
  auto started = when_threads_are_left("the interpreters", [&]() -> Result<void> {
    pool->keeper_ = std::thread([self = pool.get()] { self->keep(); });
    return {};
  });
  RETURN_IF_ERROR(started);
  MutexLock lock(pool->mutex_);
  pool->changed_.wait_for(lock, kStartPatience, [&]() REQUIRES(pool->mutex_) {
    return pool->idle_.size() >= warm || pool->broken_;
  });
  if (pool->broken_) {
    Error error = *pool->broken_;
    lock.unlock();
    return fail(std::move(error));
  }
  return pool;
}

InterpreterPool::~InterpreterPool() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.call();
  if (keeper_.joinable()) keeper_.join();
}

ToolResult<std::unique_ptr<Interpreter>> InterpreterPool::take(std::stop_token cancelled) {
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
      return tl::unexpected(ToolError(std::string(code_name(ErrorCode::kCancelled)),
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

void InterpreterPool::failed_to_start(const Error& error) {
  const MutexLock lock(mutex_);
  broken_ = Error{error.code, fmt::format("interpreter '{}' does not start: {}",
                                          options_.interpreter, error.message)};
  if (failures_++ == 0) spdlog::error("python: {}", broken_->message);
  not_before_ = Clock::now() + std::min<std::chrono::milliseconds>(
                                   std::chrono::milliseconds(100 << std::min(failures_, 6U)),
                                   std::chrono::seconds(5));
  changed_.notify_all();
}

}  // namespace toolway::tools
