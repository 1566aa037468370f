#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/mistake.h"
#include "tools/model/kinds.h"
#include "tools/templates/argument_template.h"

namespace toolway::tools::executors::command {

/// What a command's output is.
enum class CommandOutput { kText, kJson, kLines };

/// What an exit code means that is not 0 = success.
struct ExitMeaning {
  bool succeeded = false;
  std::string code = "command_failed";
  std::string message;  ///< empty: what the command wrote to stderr
  bool retryable = false;
};

/// `implementation_config` of a command tool (docs/commands.md).
struct CommandConfig {
  std::vector<templates::ArgumentTemplate> argv;
  std::optional<templates::ArgumentTemplate> input;  ///< `stdin`
  std::vector<std::pair<std::string, templates::ArgumentTemplate>> environment;
  std::string directory;  ///< `cwd`; empty: the workspace, or /tmp
  std::string profile;    ///< empty: the worker's default
  CommandOutput output = CommandOutput::kText;
  std::map<int, ExitMeaning> exit_codes;
  bool session_workspace = false;
  std::size_t max_output_bytes = 0;  ///< 0: the spec's result.max_bytes
  Json defaults = Json::object();    ///< of the input schema's properties
};

/// What is wrong with the `implementation_config` of a command tool. Pure.
/// Placeholders must be properties of `input_schema`. Pointers begin with
/// `/implementation_config`.
std::vector<Mistake> check_command_config(const OrderedJson& config,
                                          const OrderedJson& input_schema);

/// Errors: kInvalidSpec with the first mistake.
Result<CommandConfig> parse_command_config(const OrderedJson& config,
                                           const OrderedJson& input_schema);

}  // namespace toolway::tools::executors::command
