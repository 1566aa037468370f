#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"

namespace toolway::chaos {

/// How far the clock on the wall of one process is shifted: a library that is preloaded into it
/// reads that from a file, so it takes effect at once, and stays over its restarts. For one thread.
class SkewedClock {
 public:
  /// Errors: kInternal when the file cannot be made.
  static Result<std::unique_ptr<SkewedClock>> make(const std::string& file);
  ~SkewedClock();
  SkewedClock(const SkewedClock&) = delete;
  SkewedClock& operator=(const SkewedClock&) = delete;

  void set(std::chrono::seconds ahead);
  bool skewed() const;
  /// What to start the process with.
  std::map<std::string, std::string> environment() const;

 private:
  SkewedClock(std::string file, volatile std::int64_t* mapped)
      : file_(std::move(file)), mapped_(mapped) {}
  const std::string file_;
  volatile std::int64_t* const mapped_;
};

}  // namespace toolway::chaos
