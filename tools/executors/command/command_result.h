#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tools/executors/command/command_config.h"
#include "tools/executors/command/command_run.h"
#include "tools/model/tool.h"

namespace toolway::tools::executors::command {

/// Makes a call's result of what its command writes and how it ends. For one call.
class CommandResult {
 public:
  CommandResult(const model::Spec& spec, const CommandConfig& config, model::Progress& progress);
  /// How much of stdout there may be.
  std::size_t max_bytes() const { return max_bytes_; }
  /// Takes the next piece of stdout. Waits where a progress report waits.
  void add(std::string_view text);
  /// How the call ended. Call it once.
  model::Execution of(const CommandEnd& end);

 private:
  void end_line();
  model::Execution succeeded(int exit_code);
  model::Execution failed(const CommandEnd& end, const ExitMeaning& meaning) const;

  const model::Spec& spec_;
  const CommandConfig& config_;
  model::Progress& progress_;
  const std::size_t max_bytes_;
  std::string text_;  // all of it, or the line that has not ended
  std::size_t lines_ = 0;
  Json kept_ = Json::array();  // the lines, when they are the result
  std::size_t offset_ = 0;     // of text_ in the output
  std::string not_utf8_;       // where the output first was not, for lines
};

}  // namespace toolway::tools::executors::command
