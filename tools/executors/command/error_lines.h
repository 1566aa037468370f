#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace toolway::tools::executors::command {

/// What a command writes to stderr: lines for its call's log, bounded in length
/// and number, and the end of it for an error. Takes any amount.
class ErrorLines {
 public:
  static constexpr std::size_t kLine = 4096;
  static constexpr std::size_t kLines = 500;
  static constexpr std::size_t kTail = 4096;

  explicit ErrorLines(const std::function<void(std::string_view)>& on_line) : on_line_(on_line) {}
  void add(std::string_view text);
  /// What came last, UTF-8, without the white space around it. Call it once, at the end.
  std::string finish();

 private:
  void end_line();

  const std::function<void(std::string_view)>& on_line_;
  std::string line_;
  std::string tail_;
  std::size_t lines_ = 0;
};

}  // namespace toolway::tools::executors::command
