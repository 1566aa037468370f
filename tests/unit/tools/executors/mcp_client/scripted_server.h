#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "base/os/child.h"
#include "tests/paths.h"
#include "tests/support/awaiting.h"
#include "tests/support/temp_dir.h"
#include "tools/executors/mcp_client/server_links.h"

namespace toolway::tools::executors::mcp_client {

/// A link to tests/support/mcp/scripted_server.py, and what it tells.
class Scripted {
 public:
  enum class Over { kStdio, kHttp };

  explicit Scripted(std::vector<std::string> arguments = {}, Over over = Over::kStdio)
      : over_(over) {
    config.name = "scripted";
    config.start_timeout = std::chrono::seconds(10);
    config.restart_delay = std::chrono::milliseconds(50);
    config.defaults.kind = model::Kind::kMcp;
    config.defaults.ns = "scripted";
    command_ = {"python3", TOOLWAY_SOURCE_DIR "/tests/support/mcp/scripted_server.py", "--record",
                dir / "record"};
    command_.insert(command_.end(), arguments.begin(), arguments.end());
    if (over == Over::kStdio)
      config.stdio = StdioServer{.command = command_};
    else
      start_http();
  }
  ~Scripted() { link.reset(); }

  /// For HTTP: starts the server, on another port than before.
  void start_http() {
    server_.reset();
    const auto port_file = dir / "port";
    std::filesystem::remove(port_file);
    auto command = command_;
    command.insert(command.end(), {"--http", port_file});
    auto child =
        os::Child::start({.argv = command, .environment = {"PATH=/usr/local/bin:/usr/bin:/bin"}});
    ASSERT_TRUE(child) << child.error().message;
    server_ = *std::move(child);
    std::string port;
    for (const auto until = std::chrono::steady_clock::now() + test::kPatience;
         port.empty() && std::chrono::steady_clock::now() < until;) {
      std::ifstream(port_file) >> port;
      (void)server_->wait(std::chrono::milliseconds(10));
    }
    config.http =
        HttpServer{.url = "http://127.0.0.1:" + port + "/mcp", .allow_addresses = {"127.0.0.1"}};
  }
  void kill_http() { server_.reset(); }

  void connect() {
    const ServerConfig configs[] = {config};
    auto links =
        ServerLinks::create({.profiles = {}, .directory = dir.path(), .secrets = secrets}, configs);
    ASSERT_TRUE(links) << links.error().message;
    auto made = links->connect(config, {.on_tools = listed.callback(),
                                        .on_trouble = trouble.callback(),
                                        .on_unlisted = unlisted.callback(),
                                        .on_starting = starting.callback()});
    ASSERT_TRUE(made) << made.error().message;
    link = *std::move(made);
  }

  model::ToolResult<mcp::ToolCallResult> call(std::string tool, Json arguments = Json::object(),
                                              LinkCall::Again again = LinkCall::Again::kNever) {
    return link->call(with(std::move(tool), std::move(arguments), again));
  }
  LinkCall with(std::string tool, Json arguments = Json::object(),
                LinkCall::Again again = LinkCall::Again::kNever) {
    LinkCall call{.call = {.name = std::move(tool), .arguments = std::move(arguments)},
                  .again = again};
    call.timeout = test::kPatience;
    return call;
  }
  /// What a call that answers with a text says; or its error's code.
  std::string text(std::string tool, Json arguments = Json::object(),
                   LinkCall::Again again = LinkCall::Again::kNever) {
    const auto result = call(std::move(tool), std::move(arguments), again);
    return result ? mcp::text_of(result->content) : result.error().code;
  }

  /// What the server has seen.
  std::vector<Json> seen(const std::string& event) const {
    std::ifstream file(dir / "record");
    std::vector<Json> found;
    for (std::string line; std::getline(file, line);) {
      auto json = parse_json(line);
      if (json && json->value("event", "") == event) found.push_back(*std::move(json));
    }
    return found;
  }
  /// Waits until it has seen this many.
  bool sees(const std::string& event, std::size_t count = 1) const {
    for (const auto until = std::chrono::steady_clock::now() + test::kPatience;
         std::chrono::steady_clock::now() < until;) {
      if (seen(event).size() >= count) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  const test::TempDir dir;
  ServerConfig config;
  std::shared_ptr<model::Secrets> secrets = std::make_shared<model::Secrets>();
  test::Awaited<ListedTools> listed;
  test::Awaited<LinkTrouble> trouble, unlisted;
  test::Awaited<std::string> starting;
  std::unique_ptr<ServerLink> link;

 private:
  const Over over_;
  std::vector<std::string> command_;
  std::unique_ptr<os::Child> server_;
};

}  // namespace toolway::tools::executors::mcp_client
