#pragma once

#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "tools/executors/python/interpreter.h"
#include "tools/executors/python/python_call.h"
#include "tools/model/tool.h"

namespace toolway::tools {

/// The interpreters of a process. A thread of its own starts them ahead of the
/// calls, replaces and cleans up those that are lost or spent; calls take
/// one and bring it back. Thread-safe.
class InterpreterPool {
 public:
  /// Waits until the first ones are ready, at most 20 s. Errors: kNotFound, kInternal:
  /// the interpreter's name, and why it does not start.
  static Result<std::shared_ptr<InterpreterPool>> start(PythonOptions options);
  /// Ends every process. No call may run.
  ~InterpreterPool();

  /// One that waits for a call; waits for it when all are busy, and as long as the system has no
  /// process or descriptor for another. Errors: cancelled, python_unavailable (no interpreter
  /// starts any more).
  ToolResult<std::unique_ptr<Interpreter>> take(std::stop_token cancelled);
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

 private:
  using Clock = std::chrono::steady_clock;
  struct Starting {
    std::unique_ptr<Interpreter> interpreter;
    Clock::time_point until;
  };
  struct Leaving {
    std::unique_ptr<Interpreter> interpreter;
    Clock::time_point until;
  };

  explicit InterpreterPool(PythonOptions options) : options_(std::move(options)) {}

  void keep();  // the thread
  std::size_t missing() const REQUIRES(mutex_);
  void start_missing(std::vector<Starting>& starting, const os::FileDescriptor& host);
  void look_at(std::vector<Starting>& starting);
  void bury(std::vector<Leaving>& leaving);
  void retire_idle() REQUIRES(mutex_);
  void failed_to_start(const Error& error);
  /// No interpreter is there, and another try will not help soon.
  bool hopeless() const REQUIRES(mutex_) {
    return broken_ && broken_->code != ErrorCode::kOverloaded && busy_ + starting_ == 0;
  }
  void leave(std::unique_ptr<Interpreter> interpreter) REQUIRES(mutex_);

  const PythonOptions options_;
  const os::WakeFd wake_;
  mutable Mutex mutex_;
  StoppableCondVar changed_;
  std::vector<std::unique_ptr<Interpreter>> idle_ GUARDED_BY(mutex_);  // the last used at the end
  std::vector<std::unique_ptr<Interpreter>> leaving_ GUARDED_BY(mutex_);  // for the thread to end
  std::size_t busy_ GUARDED_BY(mutex_) = 0;
  std::size_t starting_ GUARDED_BY(mutex_) = 0;
  std::size_t started_ GUARDED_BY(mutex_) = 0;
  std::size_t waiting_ GUARDED_BY(mutex_) = 0;
  std::size_t generation_ GUARDED_BY(mutex_) = 0;
  std::optional<Error> broken_ GUARDED_BY(mutex_);  // why the last one did not start
  unsigned failures_ GUARDED_BY(mutex_) = 0;        // in a row
  Clock::time_point not_before_ GUARDED_BY(mutex_){};
  std::string version_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  // The last member: it uses all others.
  std::thread keeper_;
};

}  // namespace toolway::tools
