#include "cli/bench/kinds/mcp_under_test.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <fstream>
#include <future>

#include "base/try.h"
#include "tools/executors/mcp_client/server_links.h"

namespace toolway::cli::bench::kinds {
namespace {

using std::chrono::seconds;

constexpr std::string_view kSpec = R"(tools:
  - name: no_op
    namespace: bench
    kind: mcp
    description: Does nothing.
    idempotent: true
    input_schema: {type: object}
    implementation_config: {server: bench, tool: no_op}
)";

bool write_file(const std::filesystem::path& file, std::string_view text) {
  return static_cast<bool>(std::ofstream(file) << text);
}

}  // namespace

Result<std::unique_ptr<McpUnderTest>> McpUnderTest::create(Over over,
                                                           const std::filesystem::path& directory) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  std::unique_ptr<McpUnderTest> made(new McpUnderTest(directory));
  std::string servers = fmt::format("bench:\n  command: [\"{}\", bench-mcp-server]\n", program);
  if (over == Over::kHttp) {
    const auto port_file = directory / "port";
    ASSIGN_OR_RETURN(
        made->server_,
        os::Child::start({.argv = {program, "bench-mcp-server", "--port-file", port_file.string()},
                          .environment = {}}));
    std::string port;
    for (const auto until = std::chrono::steady_clock::now() + seconds(10);
         port.empty() && std::chrono::steady_clock::now() < until;) {
      (void)made->server_->wait(std::chrono::milliseconds(10));
      std::ifstream(port_file) >> port;
    }
    if (port.empty()) return fail(ErrorCode::kTimeout, "the bench's MCP server did not start");
    servers = fmt::format(
        "bench:\n  url: http://127.0.0.1:{}/mcp\n  allow_addresses: [127.0.0.1]\n", port);
  }
  if (!write_file(directory / "bench.yaml", kSpec) ||
      !write_file(directory / "mcp.yaml", servers)) {
    return fail(ErrorCode::kInternal, fmt::format("cannot write to {}", directory.string()));
  }
  return made;
}

Result<std::unique_ptr<tools::executors::mcp_client::ServerLink>> McpUnderTest::connect() const {
  spdlog::set_level(spdlog::level::warn);  // the bench has a report of its own
  ASSIGN_OR_RETURN(auto configs, tools::executors::mcp_client::read_servers_file(
                                     (directory_ / "mcp.yaml").string()));
  ASSIGN_OR_RETURN(auto links, tools::executors::mcp_client::ServerLinks::create(
                                   {.profiles = {},
                                    .directory = directory_,
                                    .secrets = std::make_shared<const tools::model::Secrets>()},
                                   configs));
  const auto listed = std::make_shared<std::promise<void>>();
  auto first = listed->get_future();
  auto link = links.connect(
      configs.front(), {.on_tools = [listed](const tools::executors::mcp_client::ListedTools&) {
        listed->set_value();
      }});
  RETURN_IF_ERROR(link);
  if (first.wait_for(seconds(10)) != std::future_status::ready)
    return fail(ErrorCode::kTimeout, "the bench's MCP server did not answer");
  return link;
}

}  // namespace toolway::cli::bench::kinds
