#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "tools/executors/command/sandbox.h"
#include "tools/executors/mcp_client/server_link.h"
#include "tools/executors/mcp_client/toolset.h"
#include "tools/http/http_engine.h"

namespace toolway::tools::executors::mcp_client {

/// Makes the links to the servers of one file, and owns what they share.
class ServerLinks {
 public:
  struct Options {
    std::string profiles;             ///< file of sandbox profiles; empty: the standard ones
    std::filesystem::path directory;  ///< for what sandboxes see of /etc
    std::shared_ptr<const model::Secrets> secrets;
    std::string sandbox_program = "bwrap";  ///< as SandboxOptions
  };
  /// Errors: kInvalidSpec (profiles), kInternal.
  static Result<ServerLinks> create(Options options, std::span<const ServerConfig> servers);

  /// Connects, and reconnects, in the background. Errors: kInvalidSpec (no such profile),
  /// kSandboxUnavailable (this machine lacks something of a sandbox's minimum), kOverloaded.
  Result<std::unique_ptr<ServerLink>> connect(const ServerConfig& server, LinkEvents events) const;

 private:
  std::shared_ptr<const model::Secrets> secrets_;
  std::shared_ptr<const command::Sandbox> sandbox_;  ///< null: no server wants one
  std::string missing_;  ///< of the minimum of a sandbox, in words; empty: nothing
  std::shared_ptr<tools::http::HttpEngine> engine_;  ///< null: no server is somewhere else
};

/// What a list has come to, in the log: the tools that are offered, and each that is not.
void say_listed(const std::string& server, const MappedTools& mapped);

}  // namespace toolway::tools::executors::mcp_client
