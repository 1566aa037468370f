#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/os/file_descriptor.h"

namespace toolway::os {

/// Wakes a thread that polls `get()` for POLLIN. `call` and `clear` from any thread.
class WakeFd {
 public:
  /// False where the system has no descriptor left (errno).
  WakeFd() : file_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  explicit operator bool() const { return static_cast<bool>(file_); }
  int get() const { return file_.get(); }

  void call() const {
    const std::uint64_t one = 1;
    // It can only fail when it is full, and then it is readable anyway.
    [[maybe_unused]] const auto written = write(file_.get(), &one, sizeof one);
  }
  /// Forgets the calls so far.
  void clear() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto taken = read(file_.get(), &count, sizeof count);
  }

 private:
  FileDescriptor file_;
};

}  // namespace toolway::os
