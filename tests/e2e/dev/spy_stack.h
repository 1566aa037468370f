#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/support/spy.h"

namespace toolway::cli {

/// `dev` with the tools spy.python, spy.command and spy.look (of an MCP server), which run without
/// a sandbox and look for marks in /proc.
class SpyStack : public testing::Test {
 protected:
  /// Entries of tools.yaml, profiles.yaml and mcp.yaml besides those of the spies.
  struct Files {
    std::string tools;
    std::string profiles;
    std::string servers;
  };

  /// Starts it and opens session spy. `namespaces` are the session's; MCP servers have brought the
  /// tool `look` to each.
  void start(const Files& more, const Dev::Environment& environment,
             const std::vector<std::string>& namespaces) {
    std::ofstream(dir_ / "tools.yaml")
        << "tools:\n"
        << spec("python", "python", "{module: spy, function_name: look}")
        << spec("command", "command",
                "{argv: [python3, " + spy_ + "], stdin: '{marks}', output: json, profile: open}")
        << more.tools;
    std::ofstream(dir_ / "profiles.yaml") << "profiles:\n  open: {sandbox: none}\n"
                                          << more.profiles;
    std::ofstream(dir_ / "mcp.yaml")
        << "spies: {command: [python3, " << spy_ << ", --serve], namespace: spy}\n"
        << more.servers;
    dev_.emplace(dir_,
                 std::vector<std::string>{"--specs", dir_ / "tools.yaml", "--python-path", spies_,
                                          "--sandbox", dir_ / "profiles.yaml", "--set",
                                          "mcp.servers=" + (dir_ / "mcp.yaml")},
                 environment);
    ASSERT_TRUE(dev_->ready().is_object()) << dev_->log();
    client_ = *client::HttpClient::create({.url = dev_->url(), .user = "spy"});
    for (const auto& name : namespaces) {
      const auto entry = R"("look","namespace":")" + name + "\"";
      ASSERT_TRUE(wait_for([&] {
        return text("GET", "/v1/tools").find(entry) != std::string::npos;
      })) << text("GET", "/v1/tools")
          << dev_->log();
    }
    text("POST", "/v1/sessions",
         to_text(OrderedJson{{"session_id", "spy"}, {"namespaces", namespaces}}));
  }

  /// An entry of tools.yaml in namespace spy.
  static std::string spec(const std::string& name, const std::string& kind,
                          const std::string& implementation) {
    return "  - {name: " + name + ", namespace: spy, kind: " + kind +
           ", description: Looks.,\n"
           "     input_schema: {type: object, required: [marks], properties: {marks: {type: string}}},\n"
           "     implementation_config: " +
           implementation + "}\n";
  }

  std::string text(const std::string& method, const std::string& target,
                   const std::string& body = {}) {
    const auto answer = client_->request(method, target, body, {{"Prefer", "wait=60"}});
    return answer ? answer->body : answer.error().message;
  }

  /// What `tool` sees when it looks for `marks`, which commas separate.
  OrderedJson look(const std::string& tool, const std::string& marks) {
    const auto answer =
        text("POST", "/v1/sessions/spy/calls",
             to_text(OrderedJson{{"tool", tool}, {"arguments", {{"marks", marks}}}}));
    const auto call = parse_ordered_json(answer);
    EXPECT_TRUE(call && call->value("outcome", "") == "succeeded") << tool << ": " << answer;
    return call && call->contains("result") ? (*call)["result"] : OrderedJson();
  }

  const test::TempDir dir_;
  const std::string spies_ = test::spies_in(dir_);
  const std::string spy_ = spies_ + "/spy.py";
  std::optional<Dev> dev_;
  std::unique_ptr<client::HttpClient> client_;
};

}  // namespace toolway::cli
