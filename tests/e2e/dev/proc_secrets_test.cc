// What a tool can read of the secrets and URLs of a stack in /proc: nothing, whatever kind of tool
// it is.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "base/ids.h"
#include "tests/e2e/dev/spy_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

class ProcSecrets : public SpyStack {
 protected:
  void SetUp() override {
    start({.tools = spec("sandboxed", "command",
                         "{argv: [python3, /spy/spy.py], stdin: '{marks}', output: json, "
                         "profile: closed}"),
           .profiles = "  closed: {read_only: ['" + spies_ + ":/spy']}\n"},
          {{"TOOLWAY_SECRET_DEMO", secret_},
           {"TOOLWAY_SPECS_TOKEN", token_},
           {"OTEL_EXPORTER_OTLP_HEADERS", "x-key=" + header_}},
          {"spy"});
  }

  static std::string password_in(const std::string& url) {
    const auto at = url.find('@');
    const auto colon = url.rfind(':', at);
    return at == std::string::npos ? "" : url.substr(colon + 1, at - colon - 1);
  }

  /// What `tool` sees when it looks for every secret of the stack.
  OrderedJson look_for_all(const std::string& tool) {
    const auto ready = dev_->ready();
    const auto nats = password_in(ready["nats"].get<std::string>());
    const auto postgres = password_in(ready["postgres"].get<std::string>());
    EXPECT_GE(nats.size(), 16U) << "nats-server of dev has a password";
    EXPECT_GE(postgres.size(), 16U);
    return look(tool, secret_ + "," + token_ + "," + header_ + "," + nats + "," + postgres);
  }

  const std::string secret_ = "demo" + random_hex(12);
  const std::string token_ = "token" + random_hex(12);
  const std::string header_ = "header" + random_hex(12);
};

TEST_F(ProcSecrets, AreReadByNoTool) {
  for (const std::string tool : {"spy.python", "spy.command", "spy.look"}) {
    const auto seen = look_for_all(tool);
    ASSERT_TRUE(seen.is_object()) << tool << ": " << seen;
    EXPECT_EQ(seen["found"], OrderedJson::array()) << tool;
    EXPECT_EQ(seen["parent"], "toolway") << tool;
    EXPECT_EQ(seen["mem"], false) << tool << " reads its parent's memory";
    // What is root's may be opened by root; nothing is left in it.
    if (geteuid() == 0 && tool != "spy.command") continue;
    for (const auto* file : {"environ", "fd"})
      EXPECT_EQ(seen[file], false) << tool << " reads its parent's " << file;
  }
  const auto inside = look_for_all("spy.sandboxed");
  EXPECT_EQ(inside["found"], OrderedJson::array());
}

TEST_F(ProcSecrets, AreInFilesOfTheirOwnerAlone) {
  for (const std::string file :
       {"nats/nats.conf", "nats/password", "run/nats-url", "run/postgres-url"}) {
    struct stat status{};
    ASSERT_EQ(stat((dir_ / ("data/" + file)).c_str(), &status), 0) << file;
    EXPECT_EQ(status.st_mode & 0777, 0600U) << file;
  }
  const auto nats = dev_->ready()["nats"].get<std::string>();
  EXPECT_EQ(dev_->log().find(password_in(nats)), std::string::npos)
      << "the banner does not show it";
  const auto listed = run_toolway(dir_, {"tools", "disable", "spy.look", "--data", dir_ / "data"});
  EXPECT_EQ(listed.status, 0) << listed.output;
  auto open = nats;
  open.erase(open.find("://") + 3, open.find('@') + 1 - open.find("://") - 3);
  EXPECT_NE(
      run_toolway(dir_, {"tools", "disable", "spy.look"}, {{"TOOLWAY_NATS_URL", open}}).status, 0)
      << "not without the password";
}

// With Landlock they are closed: tests/landlock.
TEST(ProcSecretsWithoutLandlock, AreSaidToBeOpenToOtherTools) {
  const test::TempDir dir;
  auto worker = local::ChildProcess::start(
      {.argv = {"python3", TOOLWAY_SOURCE_DIR "/tests/support/without_landlock.py", TOOLWAY_PROGRAM,
                "worker", "--nats", "nats://127.0.0.1:1", "--workspaces", dir / "workspaces"},
       .log_file = dir / "worker.log"});
  ASSERT_TRUE(worker) << worker.error().message;
  EXPECT_TRUE(wait_for([&] {
    return text_of(dir / "worker.log").find("can read each other's environment and memory") !=
           std::string::npos;
  })) << text_of(dir / "worker.log");
  (*worker)->signal(SIGKILL);
}

}  // namespace
}  // namespace toolway::cli
