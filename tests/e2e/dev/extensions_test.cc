// `toolway dev --extensions` and the verbs of `toolway extensions`, as an operator uses them.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

const std::string kExample = TOOLWAY_SOURCE_DIR "/examples/extensions.yaml";

class Extensions : public testing::Test {
 protected:
  /// As a user.
  Ran run(std::vector<std::string> arguments, const std::string& user = {}) {
    Dev::Environment environment{{"TOOLWAY_URL", url_}};
    if (!user.empty()) environment["TOOLWAY_USER"] = user;
    return run_toolway(dir_, arguments, std::move(environment));
  }
  /// As an operator of NATS.
  Ran operate(const std::string& verb, std::vector<std::string> more = {},
              const std::string& user = {}) {
    std::vector<std::string> arguments{"extensions", verb, "--data", dir_ / "data"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(std::move(arguments), user);
  }
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name) << text;
    return dir_ / name;
  }
  bool is_refused(const std::string& user) {
    return run({"call", "examples.dangerous_delete", R"({"path": "x"})", "--session", user}, user)
               .status == 3;
  }

  const test::TempDir dir_;
  std::string url_;
};

TEST_F(Extensions, AreInForceFromTheFirstCallOnAndAreChangedAndTakenBack) {
  Dev dev(dir_, {"--extensions", kExample, "--specs", TOOLWAY_SOURCE_DIR "/examples/tools"});
  ASSERT_TRUE(wait_for([&] { return !dev.ready().is_null(); }, std::chrono::seconds(60)))
      << dev.log();
  url_ = dev.url();
  EXPECT_TRUE(is_refused("ann"));
  EXPECT_FALSE(is_refused("checker"));
  EXPECT_EQ(run({"tools"}, "ann").status, 3);
  EXPECT_EQ(run({"tools"}, "checker").status, 0);

  const auto shown =
      operate("show", {"examples.dangerous_delete", "--as", "ann", "-o", "json"}, "checker");
  ASSERT_EQ(shown.status, 0) << shown.output;
  const auto chain = shown.json()["chain"];
  ASSERT_EQ(chain.size(), 3U) << shown.output;
  EXPECT_EQ(chain[0]["says"], "allows: granted to agent");
  EXPECT_EQ(chain[1]["rule"], "nothing_dangerous");
  EXPECT_EQ(chain[2]["extension"], "approval");
  EXPECT_EQ(operate("show", {"examples.dangerous_delete", "--as", "ann"}, "ann").status, 3);
  EXPECT_EQ(operate("show", {"examples.none"}, "checker").status, 3);

  const auto bad = file("bad.yaml", "rules:\n  - {name: a, audit: {mode: always}}\n");
  const auto refused = operate("put", {bad});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.output.find("bad.yaml:2: `audit`"), std::string::npos) << refused.output;
  EXPECT_TRUE(is_refused("ann")) << "nothing has changed";

  const auto put = operate("put", {file("none.yaml", "# nothing\n"), "-o", "json"});
  ASSERT_EQ(put.status, 0) << put.output;
  EXPECT_EQ(put.json()["number"], 2);
  EXPECT_TRUE(wait_for([&] { return !is_refused("ann"); }, std::chrono::seconds(2)));
  EXPECT_EQ(operate("put", {dir_ / "none.yaml", "-o", "json"}).json()["number"], 2) << "the same";

  const auto history = operate("history", {"-o", "json"}).json()["versions"];
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(history[0]["number"], 2);
  const auto first = operate("history", {"1"});
  EXPECT_EQ(first.output, text_of(kExample));
  EXPECT_EQ(operate("history", {"9"}).status, 3);
  EXPECT_EQ(operate("put", {file("old.yaml", first.output)}).status, 0);
  EXPECT_TRUE(wait_for([&] { return is_refused("ann"); }, std::chrono::seconds(2)));
  dev.process->signal(SIGINT);
  EXPECT_EQ(dev.process->wait(std::chrono::seconds(60)), 0) << dev.log();
}

TEST_F(Extensions, AFileWithMistakesStartsNothing) {
  const auto bad = file("bad.yaml", "rule: []\n");
  const auto check = run({"extensions", "check", bad});
  EXPECT_EQ(check.status, 2);
  EXPECT_NE(check.output.find("bad.yaml:1: unknown field `rule`; did you mean `rules`?"),
            std::string::npos)
      << check.output;
  EXPECT_EQ(run({"extensions", "check", bad, "-o", "json"}).json()["mistakes"].size(), 1U);
  EXPECT_EQ(run({"extensions", "check", kExample}).output, "3 rules, 2 roles\n");
  const auto dev =
      run({"dev", "--data", dir_ / "data", "--http", "127.0.0.1:0", "--extensions", bad});
  EXPECT_EQ(dev.status, 2) << dev.output;
  EXPECT_NE(dev.output.find("did you mean `rules`?"), std::string::npos) << dev.output;
  EXPECT_FALSE(std::ifstream(dir_ / "data/nats").good());
}

}  // namespace
}  // namespace toolway::cli
