// What a tool can read of the secrets and URLs of a stack in /proc: nothing, whatever kind of tool
// it is.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/ids.h"
#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"
#include "tests/support/spy.h"

namespace toolway::cli {
namespace {

class ProcSecrets : public testing::Test {
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
        << spy
        << "], stdin: '{marks}', output: json, profile: open}}\n"
           "  - {name: sandboxed, namespace: spy, kind: command, description: Looks.,\n"
           "     input_schema: {type: object, required: [marks], properties: {marks: {type: string}}},\n"
           "     implementation_config: {argv: [python3, /spy/spy.py], stdin: '{marks}', output: json, profile: closed}}\n";
    std::ofstream(dir_ / "profiles.yaml") << "profiles:\n  open: {sandbox: none}\n"
                                             "  closed: {read_only: ['"
                                          << spies << ":/spy']}\n";
    std::ofstream(dir_ / "mcp.yaml")
        << "spies: {command: [python3, " << spy << ", --serve], namespace: spy}\n";
    dev_.emplace(dir_,
                 std::vector<std::string>{"--specs", dir_ / "tools.yaml", "--python-path", spies,
                                          "--sandbox", dir_ / "profiles.yaml", "--set",
                                          "mcp.servers=" + (dir_ / "mcp.yaml")},
                 Dev::Environment{{"TOOLWAY_SECRET_DEMO", secret_},
                                  {"TOOLWAY_SPECS_TOKEN", token_},
                                  {"OTEL_EXPORTER_OTLP_HEADERS", "x-key=" + header_}});
    ASSERT_TRUE(dev_->ready().is_object()) << dev_->log();
    client_ = *client::HttpClient::create({.url = dev_->url(), .user = "spy"});
    ASSERT_TRUE(wait_for([&] {
      return text("GET", "/v1/tools").find("\"spy.look\"") != std::string::npos ||
             text("GET", "/v1/tools").find("\"look\"") != std::string::npos;
    })) << text("GET", "/v1/tools")
        << dev_->log();
    text("POST", "/v1/sessions", R"({"session_id":"spy","namespaces":["spy"]})");
  }

  std::string text(const std::string& method, const std::string& target,
                   const std::string& body = {}) {
    const auto answer = client_->request(method, target, body, {{"Prefer", "wait=60"}});
    return answer ? answer->body : answer.error().message;
  }

  static std::string password_in(const std::string& url) {
    const auto at = url.find('@');
    const auto colon = url.rfind(':', at);
    return at == std::string::npos ? "" : url.substr(colon + 1, at - colon - 1);
  }

  OrderedJson look(const std::string& tool) {
    const auto ready = dev_->ready();
    const auto nats = password_in(ready["nats"].get<std::string>());
    const auto postgres = password_in(ready["postgres"].get<std::string>());
    EXPECT_GE(nats.size(), 16U) << "nats-server of dev has a password";
    EXPECT_GE(postgres.size(), 16U);
    const OrderedJson marks{
        {"marks", secret_ + "," + token_ + "," + header_ + "," + nats + "," + postgres}};
    const auto answer = text("POST", "/v1/sessions/spy/calls",
                             to_text(OrderedJson{{"tool", tool}, {"arguments", marks}}));
    const auto call = parse_ordered_json(answer);
    EXPECT_TRUE(call && call->value("outcome", "") == "succeeded") << tool << ": " << answer;
    return call && call->contains("result") ? (*call)["result"] : OrderedJson();
  }

  const std::string secret_ = "demo" + random_hex(12);
  const std::string token_ = "token" + random_hex(12);
  const std::string header_ = "header" + random_hex(12);
  const test::TempDir dir_;
  std::optional<Dev> dev_;
  std::unique_ptr<client::HttpClient> client_;
};

TEST_F(ProcSecrets, AreReadByNoTool) {
  for (const std::string tool : {"spy.python", "spy.command", "spy.look"}) {
    const auto seen = look(tool);
    ASSERT_TRUE(seen.is_object()) << tool << ": " << seen;
    EXPECT_EQ(seen["found"], OrderedJson::array()) << tool;
    EXPECT_EQ(seen["parent"], "toolway") << tool;
    EXPECT_EQ(seen["mem"], false) << tool << " reads its parent's memory";
    // What is root's may be opened by root; nothing is left in it.
    if (geteuid() == 0 && tool != "spy.command") continue;
    for (const auto* file : {"environ", "fd"})
      EXPECT_EQ(seen[file], false) << tool << " reads its parent's " << file;
  }
  const auto inside = look("spy.sandboxed");
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
