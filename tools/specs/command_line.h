#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toolway::tools::specs {

/// A command line in the words that a POSIX shell would pass to the program.
struct CommandLine {
  std::vector<std::string> argv;
  std::vector<std::string> placeholders;  ///< names, in the order in which they first occur
  std::string refused;                    ///< empty, or why there is no argv
};

/// Splits `line` by the rules of the POSIX shell (XCU 2.2, quoting; 2.3, tokens), and refuses
/// whatever a shell would have to interpret: operators, expansions, globs, assignments,
/// `cd`. A placeholder, `{name}`, stays within the one argument that it is in. The refusal
/// shows the argv to write instead.
CommandLine split_command_line(std::string_view line);

}  // namespace toolway::tools::specs
