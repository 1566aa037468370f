// The pack `filesystem` with the official server, where `./run demo` could install it.
#include <fmt/format.h>

#include <filesystem>

#include "base/os/file_io.h"
#include "base/try.h"
#include "cli/client/reporting.h"
#include "cli/demo/packs.h"

namespace toolway::cli::demo {
namespace {

namespace fs = std::filesystem;

/// Next to the program; empty: not installed.
std::string server_script() {
  std::error_code error;
  const auto script =
      fs::read_symlink("/proc/self/exe", error).parent_path() /
      "mcp-servers/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";
  return fs::exists(script, error) ? script.string() : "";
}

/// The pack's own file of servers, with the installed server on the demo's directory.
Result<void> prepare(DemoStage& stage) {
  const auto script = server_script();
  if (script.empty()) return {};
  ASSIGN_OR_RETURN(auto text, os::read_file(stage.packs + "/filesystem/mcp.yaml"));
  const auto begin = text.find("command: [");
  const auto end = text.find(']', begin);
  if (begin == std::string::npos || end == std::string::npos)
    return fail(ErrorCode::kInternal, "the pack filesystem names no command");
  text.replace(begin, end - begin + 1,
               fmt::format("command: [node, \"{}\", \"{}\"]", script, stage.stack.root));
  const auto file = stage.directory + "/filesystem.mcp.yaml";
  RETURN_IF_ERROR(os::write_whole_file(file, text));
  stage.stack.settings.push_back("mcp.servers=" + file);
  return {};
}

void show(Tour& tour) {
  tour.heading("The filesystem pack: an MCP server written by others");
  if (server_script().empty()) {
    fmt::print("  not shown: npm could not install the server\n");
    return;
  }
  const auto listed = tour.call("files.list_allowed_directories", OrderedJson::object());
  const auto text = client::cell(listed, "result");
  tour.check(text.find("llowed director") != std::string::npos,
             "the server's tools were found and offered automatically");
  const auto outside = tour.call("files.read_text_file", {{"path", "/etc/passwd"}});
  tour.remember_as_failed(outside);
  tour.check(client::cell(outside, "outcome") == "failed" &&
                 client::cell(outside, "error").find("mcp_tool_error") != std::string::npos,
             "what the server refuses becomes the call's error, in the server's words");
}

}  // namespace

DemoPack filesystem_in_demo() {
  return {"files", &prepare, &show, server_script().empty() ? "" : "list_allowed_directories"};
}

}  // namespace toolway::cli::demo
