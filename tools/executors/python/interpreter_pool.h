#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "tools/executors/python/interpreter.h"
#include "tools/executors/python/python_call.h"
#include "tools/model/tool.h"

namespace toolway::tools::executors::python {

/// The interpreters of a process: calls take one and bring it back. Their keeper
/// (interpreter_keeper.h) starts and ends them as this says. Thread-safe.
class InterpreterPool {
 public:
  /// The clock, for when to try again and which ones were idle for long, must outlive it.
  InterpreterPool(PythonOptions options, const Clock& clock);

  /// One that waits for a call; waits for it when all are busy, and as long as the system has no
  /// process or descriptor for another. Errors: cancelled, python_unavailable (no interpreter
  /// starts any more).
  model::ToolResult<std::unique_ptr<Interpreter>> take(std::stop_token cancelled);
  void bring_back(std::unique_ptr<Interpreter> interpreter, PythonCallEnd::Interpreter state);

  struct Counts {
    std::size_t idle = 0;
    std::size_t busy = 0;
    std::size_t starting = 0;
    std::size_t started = 0;  ///< in all
  };
  Counts counts() const;
  /// Of the interpreters: `3.11.2`.
  std::string version() const;

  // For the keeper.

  const PythonOptions& options() const { return options_; }
  const os::WakeFd& wake() const { return wake_; }  ///< there is something to do
  /// Until as many as shall be `warm` are idle, at most `patience`. Errors: why one did not start.
  Result<void> wait_until_warm(std::chrono::seconds patience);
  /// Another one must be started now: the generation of the files that it may import. `ready` or
  /// `not_started` must follow.
  std::optional<std::size_t> begin_start();
  void ready(std::unique_ptr<Interpreter> interpreter);
  void not_started(const Error& error);
  /// None can be started.
  void broken(const Error& error);
  /// Those to be ended.
  std::vector<std::unique_ptr<Interpreter>> take_leaving();
  /// How long there is nothing to do unless `wake` says so; at most 5 s. `may_start`: another one
  /// may be started.
  std::chrono::milliseconds rest(bool may_start);
  /// Ends those that are not lent, and forgets them.
  void clear();

 private:
  std::size_t missing() const REQUIRES(mutex_);
  void retire_idle() REQUIRES(mutex_);
  void broke(const Error& error) REQUIRES(mutex_);
  /// No interpreter is there, and another try will not help soon.
  bool hopeless() const REQUIRES(mutex_) {
    return broken_ && broken_->code != ErrorCode::kOverloaded && busy_ + starting_ == 0;
  }
  void leave(std::unique_ptr<Interpreter> interpreter) REQUIRES(mutex_);

  const PythonOptions options_;
  const Clock& clock_;
  const os::WakeFd wake_;
  mutable Mutex mutex_;
  StoppableCondVar changed_;
  std::vector<std::unique_ptr<Interpreter>> idle_ GUARDED_BY(mutex_);  // the last used at the end
  std::vector<std::unique_ptr<Interpreter>> leaving_ GUARDED_BY(mutex_);  // for the keeper to end
  std::size_t busy_ GUARDED_BY(mutex_) = 0;
  std::size_t starting_ GUARDED_BY(mutex_) = 0;
  std::size_t started_ GUARDED_BY(mutex_) = 0;
  std::size_t waiting_ GUARDED_BY(mutex_) = 0;
  std::size_t generation_ GUARDED_BY(mutex_) = 0;
  std::optional<Error> broken_ GUARDED_BY(mutex_);  // why the last one did not start
  unsigned failures_ GUARDED_BY(mutex_) = 0;        // in a row
  MonotonicTime not_before_ GUARDED_BY(mutex_){};
  std::string version_ GUARDED_BY(mutex_);
};

}  // namespace toolway::tools::executors::python
