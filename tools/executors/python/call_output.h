#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/token_bucket.h"
#include "tools/model/tool.h"

namespace toolway::tools::executors::python {

/// What a call prints, line by line into its log. A line is cut at 4 KB, and a
/// flood is counted instead of kept. One thread.
class CallOutput {
 public:
  static constexpr std::size_t kLine = 4096;
  static constexpr double kBurst = 500;      ///< log events at once
  static constexpr double kPerSecond = 100;  ///< and then
  static constexpr double kForErrors = 20;   ///< more, for errors: a traceback comes last

  explicit CallOutput(model::ToolContext& context) : context_(context) {}

  enum class Stream { kOut, kErr };
  void add(Stream stream, std::string_view bytes);
  /// A log event of the tool's own; counts like a line.
  void log(model::LogLevel level, std::string_view text);
  /// Lines that have no end yet, and how much was left out. Once.
  void finish();

 private:
  struct Line {
    std::string text{};
    std::size_t cut = 0;  ///< bytes of it that were left out
  };
  void say(Stream stream, Line& line);
  /// `overdraft`: as `TokenBucket`.
  bool may_say(double overdraft = 0);

  model::ToolContext& context_;
  Line lines_[2];
  TokenBucket allowance_{{.burst = kBurst, .per_second = kPerSecond}};
  std::size_t dropped_lines_ = 0;
  std::size_t dropped_bytes_ = 0;
};

}  // namespace toolway::tools::executors::python
