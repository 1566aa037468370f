#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/os/child.h"
#include "base/os/file_descriptor.h"
#include "base/result.h"
#include "tools/executors/command/sandbox_profile.h"
#include "tools/executors/command/sandbox_status.h"

namespace toolway::tools::executors::command {

/// How sandboxes are made on this machine.
struct SandboxOptions {
  SandboxConfiguration configuration = standard_sandbox_profiles();
  /// Without all of these nothing runs.
  std::set<SandboxMechanism> minimum{SandboxMechanism::kNamespaces, SandboxMechanism::kUnprivileged,
                                     SandboxMechanism::kSeccomp, SandboxMechanism::kProcessLimit};
  std::string program = "bwrap";  ///< a path, or a name looked up in /usr/local/bin:/usr/bin:/bin
  /// Where files for sandboxes are kept. Every directory above it must let others pass (o+x).
  std::filesystem::path directory;
  /// Whom commands run as when this process is root. Must not be any other user's.
  uid_t user = 62000;
};

/// A command that is about to run in a sandbox.
struct SandboxedCommand {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string directory;    ///< inside
  std::string workspace{};  ///< outside; bound at /workspace; empty: none
};

/// Makes sandboxes with bubblewrap. What can be prepared is; immutable, thread-safe.
class Sandbox {
 public:
  /// Writes what sandboxes see of /etc. Errors: kInvalidSpec, kInternal.
  static Result<std::shared_ptr<const Sandbox>> create(SandboxOptions options);

  /// Kills those of its directory that a worker's end has left; returns how many
  /// (orphaned_sandboxes.h).
  std::size_t kill_orphans() const;

  const SandboxOptions& options() const { return options_; }
  /// Null: not configured.
  const SandboxProfile* find(std::string_view profile) const;
  /// Whom commands run as; nothing: as this process does, which is not root.
  std::optional<uid_t> user() const;
  /// Why system calls are not filtered; empty: they are.
  const std::string& no_seccomp() const { return no_seccomp_; }

  /// How to start `command`. `files` becomes what `start` needs beyond the
  /// returned options; close it once the command has started: `status` is where
  /// bubblewrap says how far it is, `release` holds the command back until it is written to.
  struct Launch {
    os::ChildOptions child;                                          ///< its `files` lack 0, 1, 2
    os::FileDescriptor arguments, seccomp, status_end, release_end;  ///< the child's
    os::FileDescriptor status, release;                              ///< ours
  };
  /// `profile` empty: the built-in one. Errors: kNotFound (no such profile), kOverloaded.
  Result<Launch> prepare(const std::string& profile, const SandboxedCommand& command) const;

 private:
  explicit Sandbox(SandboxOptions options) : options_(std::move(options)) {}
  std::vector<std::string> arguments_of(const SandboxProfile& profile) const;

  const SandboxOptions options_;
  os::FileDescriptor seccomp_;
  std::string no_seccomp_;
  std::map<std::string, std::vector<std::string>, std::less<>>
      prepared_;  ///< by profile: before the command's own
};

/// Limits of a profile, for ChildOptions.
std::vector<os::ChildOptions::Limit> limits_of(const SandboxProfile& profile);

/// Bounds the processes of the sandbox whose first process is `init`, and of it
/// alone: since Linux 5.14 they are counted per user namespace, against the limit of
/// the user that forks. Set before the namespace is made, it would count all processes of that
/// user. `user`: whom it runs as, if that is not us. Returns 0 or errno.
int limit_processes(pid_t init, std::uint64_t processes, std::optional<uid_t> user);

}  // namespace toolway::tools::executors::command
