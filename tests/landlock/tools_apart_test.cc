// A secret that `env` gives to one MCP server: no other tool of the worker finds it in /proc,
// whatever kind of tool it is.
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/ids.h"
#include "base/os/child.h"
#include "tests/e2e/dev/spy_stack.h"
#include "tools/executors/command/sandbox.h"

namespace toolway::cli {
namespace {

class ToolsApart : public SpyStack {
 protected:
  void SetUp() override {
    start({.servers = "keeper: {command: [python3, " + spy_ +
                      ", --serve], namespace: keeper, env: {KEPT: '{secret:KEPT}'}}\n"},
          {{"TOOLWAY_SECRET_KEPT", secret_}}, {"spy", "keeper"});
  }

  /// Where `tool` finds the secret.
  OrderedJson found_by(const std::string& tool) {
    auto seen = look(tool, secret_);
    return seen.is_object() ? seen["found"] : OrderedJson();
  }

  const std::string secret_ = "kept" + random_hex(12);
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
