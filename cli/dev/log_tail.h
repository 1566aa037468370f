#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace toolway::cli::dev {

/// The lines that a log gets from now on. For one thread.
class LogTail {
 public:
  /// `file` need not exist yet. Begins at its end.
  explicit LogTail(std::string file);
  /// Those that were completed since the last time, at most 64 KiB of them.
  std::vector<std::string> lines();

 private:
  std::string file_;
  std::uint64_t read_ = 0;
  std::string rest_;  ///< of a line that is not complete
};

}  // namespace toolway::cli::dev
