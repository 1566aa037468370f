#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/os/child.h"
#include "base/os/file_descriptor.h"
#include "base/result.h"
#include "tools/executors/command/sandbox.h"
#include "tools/executors/mcp_client/server_config.h"

namespace toolway::tools::executors::mcp_client {

/// The process of a stdio server, and our ends of its three streams, which never block. For the
/// thread that started it, with which it ends.
class ServerProcess {
 public:
  /// `sandbox`: null when the server runs without one. Errors: kNotFound (no such program, or
  /// secret), kSandboxUnavailable, kOverloaded.
  static Result<std::unique_ptr<ServerProcess>> start(const ServerConfig& server,
                                                      const model::Secrets& secrets,
                                                      const command::Sandbox* sandbox);
  ~ServerProcess();

  const os::FileDescriptor& input() const { return input_; }
  const os::FileDescriptor& output() const { return output_; }
  const os::FileDescriptor& errors() const { return errors_; }
  os::Child& child() { return *child_; }
  void close_errors() { errors_.reset(); }

  /// Ends it as the protocol wants (2026-07-28, basic/transports/stdio, "Shutdown"): closes its
  /// input, and continues with SIGTERM and SIGKILL, each after `patience`.
  void end(std::chrono::milliseconds patience);
  /// `exited with status 1`, `was killed by signal 9`; empty: it still runs after `patience`. What
  /// it has started itself does not outlive it.
  std::string how_it_ended(std::chrono::milliseconds patience);

 private:
  ServerProcess() = default;
  Result<void> confine(const command::SandboxProfile& profile, std::optional<uid_t> user);

  command::Sandbox::Launch launch_;
  os::FileDescriptor input_, output_, errors_;
  std::unique_ptr<os::Child> child_;
};

}  // namespace toolway::tools::executors::mcp_client
