#pragma once

#include <map>
#include <set>
#include <string>

namespace toolway::tools::executors::command {

/// What a sandbox is made of, each tried for itself.
enum class SandboxMechanism {
  kNamespaces,    ///< bubblewrap can make user, PID, mount, network, IPC and UTS namespaces
  kUnprivileged,  ///< outside it is not root either, and inside it has no capability
  kSeccomp,       ///< the filter of system calls is in force
  kProcessLimit,  ///< the bound on processes holds for each sandbox alone
};

/// What a probe has found.
struct SandboxStatus {
  std::set<SandboxMechanism> active;
  std::map<SandboxMechanism, std::string> missing;  ///< and why
  /// For one line of a log.
  std::string describe() const;
  /// What it lacks of `minimum`, in words; empty: nothing.
  std::string missing_of(const std::set<SandboxMechanism>& minimum) const;
};

}  // namespace toolway::tools::executors::command
