#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/os/child.h"
#include "base/result.h"
#include "tools/executors/mcp_client/server_link.h"

namespace toolway::cli::bench::kinds {

/// The tool that `bench --kind mcp-stdio|mcp-http` calls, and its server.
class McpUnderTest {
 public:
  enum class Over { kStdio, kHttp };

  /// Writes `bench.yaml` (the spec) and `mcp.yaml` (the server) into `directory`; over HTTP the
  /// server runs as long as this does. Errors: kInternal.
  static Result<std::unique_ptr<McpUnderTest>> create(Over over,
                                                      const std::filesystem::path& directory);

  /// `--set` of the workers.
  std::string setting() const { return "mcp.servers=" + (directory_ / "mcp.yaml").string(); }
  /// The connection alone, to a server that has answered. Errors: kTimeout.
  Result<std::unique_ptr<tools::executors::mcp_client::ServerLink>> connect() const;

 private:
  explicit McpUnderTest(std::filesystem::path directory) : directory_(std::move(directory)) {}
  const std::filesystem::path directory_;
  std::unique_ptr<os::Child> server_;
};

}  // namespace toolway::cli::bench::kinds
