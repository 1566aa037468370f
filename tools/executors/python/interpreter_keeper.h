#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/os/file_descriptor.h"
#include "base/result.h"
#include "tools/executors/python/interpreter_pool.h"

namespace toolway::tools::executors::python {

/// Keeps a pool of interpreters. A thread of its own starts them ahead of the calls, replaces and
/// cleans up those that are lost or spent.
class InterpreterKeeper {
 public:
  /// A pool, and its keeper for as long as anybody has the pool: who lets go of it last ends every
  /// process; no call may run then. Waits until the first ones are ready, at most 20 s. Errors:
  /// kNotFound, kInternal: the interpreter's name, and why it does not start; kOverloaded.
  static Result<std::shared_ptr<InterpreterPool>> start(PythonOptions options);
  ~InterpreterKeeper();

 private:
  using Steady = std::chrono::steady_clock;
  struct Watched {
    std::unique_ptr<Interpreter> interpreter;
    Steady::time_point until;
  };

  explicit InterpreterKeeper(PythonOptions options) : pool_(std::move(options), clock_) {}

  // Of the thread.
  void keep(const std::stop_token& stopping);
  void start_missing(const os::FileDescriptor& host, const std::stop_token& stopping);
  void look_at_starting();
  void bury();

  const SystemClock clock_;
  InterpreterPool pool_;
  std::vector<Watched> starting_;
  std::vector<Watched> leaving_;
  // The last member: it uses all others.
  std::jthread thread_;
};

}  // namespace toolway::tools::executors::python
