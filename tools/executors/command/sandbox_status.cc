#include "tools/executors/command/sandbox_status.h"

#include <fmt/format.h>

#include <string_view>

namespace toolway::tools::executors::command {
namespace {

std::string_view mechanism_name(SandboxMechanism mechanism) {
  switch (mechanism) {
    case SandboxMechanism::kNamespaces: return "namespaces";
    case SandboxMechanism::kUnprivileged: return "unprivileged";
    case SandboxMechanism::kSeccomp: return "seccomp";
    case SandboxMechanism::kProcessLimit: return "process_limit";
  }
  return "namespaces";
}

}  // namespace

std::string SandboxStatus::describe() const {
  std::string text = "sandbox for commands:";
  for (const auto mechanism : active) text += fmt::format(" {}", mechanism_name(mechanism));
  if (active.empty()) text += " nothing";
  text += " active";
  for (const auto& [mechanism, reason] : missing)
    text += fmt::format("; no {}: {}", mechanism_name(mechanism), reason);
  return text;
}

std::string SandboxStatus::missing_of(const std::set<SandboxMechanism>& minimum) const {
  std::string text;
  for (const auto mechanism : minimum) {
    const auto found = missing.find(mechanism);
    if (found == missing.end()) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", mechanism_name(mechanism),
                        found->second);
  }
  return text;
}

}  // namespace toolway::tools::executors::command
