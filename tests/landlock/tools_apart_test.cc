// A secret that `env` gives to one MCP server: no other tool of the worker finds it in /proc,
// whatever kind of tool it is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/ids.h"
#include "base/os/child.h"
#include "tests/e2e/dev/dev_stack.h"
#include "tests/support/spy.h"
#include "tools/executors/command/sandbox.h"

namespace toolway::cli {
namespace {

class ToolsApart : public testing::Test {
 protected:
  void SetUp() override {
    const auto spies = test::spies_in(dir_);
    const auto spy = spies + "/spy.py";
    std::ofstream(dir_ / "tools.yaml")
        << "tools:\n"
           "  - {name: python, namespace: spy, kind: python, description: Looks.,\n"
           "     input_schema: {type: object, required: [marks], properties: {marks: {type: string}}},\n"
           "     implementation_config: {module: spy, function_name: look}}\n"
           "  - {name: command, namespace: spy, kind: command, description: Looks.,\n"
           "     input_schema: {type: object, required: [marks], properties: {marks: {type: string}}},\n"
           "     implementation_config: {argv: [python3, "
        << spy << "], stdin: '{marks}', output: json, profile: open}}\n";
    std::ofstream(dir_ / "profiles.yaml") << "profiles:\n  open: {sandbox: none}\n";
    std::ofstream(dir_ / "mcp.yaml")
        << "spies: {command: [python3, " << spy << ", --serve], namespace: spy}\n"
        << "keeper: {command: [python3, " << spy
        << ", --serve], namespace: keeper, env: {KEPT: '{secret:KEPT}'}}\n";
    dev_.emplace(dir_,
                 std::vector<std::string>{"--specs", dir_ / "tools.yaml", "--python-path", spies,
                                          "--sandbox", dir_ / "profiles.yaml", "--set",
                                          "mcp.servers=" + (dir_ / "mcp.yaml")},
                 Dev::Environment{{"TOOLWAY_SECRET_KEPT", secret_}});
    ASSERT_TRUE(dev_->ready().is_object()) << dev_->log();
    client_ = *client::HttpClient::create({.url = dev_->url(), .user = "spy"});
    ASSERT_TRUE(wait_for([&] {
      const auto tools = text("GET", "/v1/tools");
      return tools.find(R"("look","namespace":"spy")") != std::string::npos &&
             tools.find(R"("look","namespace":"keeper")") != std::string::npos;
    })) << text("GET", "/v1/tools")
        << dev_->log();
    text("POST", "/v1/sessions", R"({"session_id":"spy","namespaces":["spy","keeper"]})");
  }

  std::string text(const std::string& method, const std::string& target,
                   const std::string& body = {}) {
    const auto answer = client_->request(method, target, body, {{"Prefer", "wait=60"}});
    return answer ? answer->body : answer.error().message;
  }

  /// Where `tool` finds the secret.
  OrderedJson found_by(const std::string& tool) {
    const auto answer =
        text("POST", "/v1/sessions/spy/calls",
             to_text(OrderedJson{{"tool", tool}, {"arguments", {{"marks", secret_}}}}));
    const auto call = parse_ordered_json(answer);
    EXPECT_TRUE(call && call->value("outcome", "") == "succeeded") << tool << ": " << answer;
    return call && call->contains("result") ? (*call)["result"]["found"] : OrderedJson();
  }

  const std::string secret_ = "kept" + random_hex(12);
  const test::TempDir dir_;
  std::optional<Dev> dev_;
  std::unique_ptr<client::HttpClient> client_;
};

TEST_F(ToolsApart, ReadTheSecretsOfNoOtherTool) {
  ASSERT_EQ(found_by("keeper.look").size(), 1U) << "the server itself has it";
  // Where the worker is root, commands without a sandbox run as a user of their own; so does this
  // one.
  os::ChildOptions command{.argv = {"/bin/sleep", "600"}, .environment = {"KEPT=" + secret_}};
  if (geteuid() == 0) command.user = tools::executors::command::SandboxOptions{}.user;
  const auto other = os::Child::start(command);
  ASSERT_TRUE(other) << other.error().message;
  for (const std::string tool : {"spy.python", "spy.command", "spy.look"})
    EXPECT_EQ(found_by(tool), OrderedJson::array()) << tool;
  EXPECT_EQ(text_of(dir_ / "data/logs/worker-0.log").find("Landlock"), std::string::npos);
}

}  // namespace
}  // namespace toolway::cli
