#include "tools/executors/command/sandbox_probe.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "tools/executors/command/command_run.h"

namespace toolway::tools::executors::command {
namespace {

/// The value of a line `name: value` of /proc/…/status; empty: none.
std::string value_of(std::string_view text, std::string_view name) {
  auto at = text.find(name);
  if (at == std::string_view::npos) return {};
  at = text.find_first_not_of(" \t:", at + name.size());
  return std::string(text.substr(at, text.find_first_of(" \t\n", at) - at));
}

std::string why(const Result<CommandEnd>& end) {
  if (!end) return end.error().message;
  return end->error_tail.empty() ? fmt::format("exit code {}", end->exit_code) : end->error_tail;
}

/// Since then processes are counted per user namespace.
bool counts_per_namespace() {
  utsname system{};
  int major = 0;
  int minor = 0;
  return uname(&system) == 0 && std::sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
         (major > 5 || (major == 5 && minor >= 14));
}

}  // namespace

SandboxStatus probe_sandbox(const Sandbox& sandbox) {
  using enum SandboxMechanism;
  SandboxStatus status;
  const auto judge = [&](SandboxMechanism mechanism, bool works, std::string reason) {
    if (works)
      status.active.insert(mechanism);
    else
      status.missing.emplace(mechanism, std::move(reason));
  };
  std::string seen;
  Result<CommandEnd> end = fail(ErrorCode::kSandboxUnavailable, "");
  if (auto launch =
          sandbox.prepare("", {.argv = {"/usr/bin/cat", "/proc/self/status", "/proc/self/limits"},
                               .environment = {},
                               .directory = "/"});
      !launch) {
    end = fail(launch.error());
  } else {
    CommandRun run{.launch = std::move(*launch),
                   .processes = 7,
                   .user = sandbox.user(),
                   .max_output_bytes = 64 * 1024};
    run.on_output = [&](std::string_view text) { seen.append(text); };
    end = run_command(std::move(run));
  }
  const bool ran = end && end->why == CommandEnd::Why::kExited && end->exit_code == 0;
  judge(kNamespaces, ran, why(end));
  const std::string untried = "no sandbox could be made";
  const auto uid = value_of(seen, "Uid");
  judge(kUnprivileged,
        ran && uid != "0" && sandbox.user() != 0 &&
            value_of(seen, "CapEff") == "0000000000000000" && value_of(seen, "NoNewPrivs") == "1",
        ran ? fmt::format("user {}, capabilities {}", uid, value_of(seen, "CapEff")) : untried);
  judge(kSeccomp, ran && value_of(seen, "Seccomp") == "2",
        ran ? "the filter is not in force" + sandbox.no_seccomp() : untried);
  judge(kProcessLimit, ran && value_of(seen, "Max processes") == "8" && counts_per_namespace(),
        ran ? "Linux before 5.14 counts the processes of all sandboxes together" : untried);
  return status;
}

}  // namespace toolway::tools::executors::command
