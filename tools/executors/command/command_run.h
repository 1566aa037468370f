#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/executors/command/sandbox.h"

namespace toolway::tools::executors::command {

/// A command that is ready to run, and what bounds it.
struct CommandRun {
  Sandbox::Launch launch;  ///< without a sandbox, only `launch.child` is set
  bool sandboxed = true;
  std::uint64_t processes = 64;  ///< when sandboxed
  std::optional<uid_t> user{};   ///< as Sandbox::user
  std::optional<std::string> input{};
  std::size_t max_output_bytes = 0;
  std::chrono::milliseconds kill_grace{1000};  ///< between SIGTERM and SIGKILL
  std::stop_token cancelled{};
  std::function<void(std::string_view)> on_output{};  ///< pieces of stdout as they come
  std::function<void(std::string_view)>
      on_error_line{};                    ///< lines of stderr, bounded in length and number
  std::function<bool()> within_bounds{};  ///< asked every half second; false: killed
};

/// How it ended.
struct CommandEnd {
  enum class Why { kExited, kCancelled, kTooMuchOutput, kOutOfBounds, kNotStarted, kNoSandbox };
  Why why = Why::kExited;
  bool by_signal =
      false;  ///< when cancelled: SIGTERM was the end of it, or had to be followed by SIGKILL
  int exit_code = 0;       ///< a shell's way: 128 + signal, when one killed it
  std::string error_tail;  ///< the last 4 KB of stderr, readable
};

/// Runs it, on this thread, to its end: when this returns nothing of it is left.
/// Errors: kOverloaded, kNotFound (no such program, without a sandbox).
Result<CommandEnd> run_command(CommandRun run);

}  // namespace toolway::tools::executors::command
