#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/os/child.h"
#include "base/os/file_descriptor.h"
#include "base/os/wake_fd.h"
#include "base/result.h"
#include "tools/executors/python/frame.h"
#include "tools/executors/python/python_options.h"

namespace toolway::tools::executors::python {

/// The embedded program in a file that interpreters read. Errors: kInternal.
Result<os::FileDescriptor> make_host_file();

/// One interpreter process and the files that we talk to it by. Belongs to one
/// thread at a time; started on the pool's own (child.h says why).
class Interpreter {
 public:
  /// Returns before it is ready: `ready` says. Errors: as Child::start.
  static Result<std::unique_ptr<Interpreter>> start(const PythonOptions& options,
                                                    const os::FileDescriptor& host);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  /// Whether it has said that it is ready. Errors: kInternal, how it ended instead, with what it
  /// printed last.
  Result<bool> ready();
  /// Whether it still waits for a call; throws away what it printed since the last one.
  bool waits_for_call();
  /// Asks it to end: it does so once it has nothing to do.
  void hang_up();

  /// Kills it with all that it started. How it ended; nothing: it does not end.
  std::optional<os::ChildEnd> kill();
  /// The same, for one that is ending: how it ends by itself, when it does in time.
  std::optional<os::ChildEnd> kill_after(std::chrono::milliseconds patience);
  const os::Child& child() const { return *child_; }
  int socket() const { return socket_.get(); }
  int out() const { return out_.get(); }
  int err() const { return err_.get(); }
  const os::WakeFd& wake() const { return wake_; }  ///< there is something else to look at
  Inbox& inbox() { return inbox_; }

  std::size_t calls = 0;       ///< that it was given
  bool spent = false;          ///< it must not be given anything more
  std::size_t generation = 0;  ///< of the files that it may have imported
  MonotonicTime since{};       ///< when it was last put among the idle ones
  const std::string& version() const { return version_; }

 private:
  Interpreter() = default;
  /// What is there to read, at most some KB; whether the file is still open.
  static bool read_some(int file, std::string& text);

  std::unique_ptr<os::Child> child_;
  std::optional<os::ChildEnd> end_;
  os::FileDescriptor socket_;
  os::FileDescriptor out_;
  os::FileDescriptor err_;
  const os::WakeFd wake_;
  Inbox inbox_;
  std::string printed_;  // until it is ready
  std::string version_;
};

}  // namespace toolway::tools::executors::python
