// `toolway dev --extensions` and the verbs of `toolway extensions`, as an operator uses them.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <sstream>

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
    return run({"call", "filesystem.hash_file", R"({"path": "secret.txt"})", "--session", user},
               user)
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
  EXPECT_EQ(chain[1]["extension"], "approval");
  EXPECT_EQ(chain[2]["rule"], "unsafe_only");
  EXPECT_EQ(operate("show", {"examples.dangerous_delete", "--as", "ann"}, "ann").status, 3);
  EXPECT_EQ(operate("show", {"examples.none"}, "checker").status, 3);

  const auto bad = file("bad.yaml", "rules:\n  - {name: a, audit: {mode: always}}\n");
  const auto refused = operate("put", {bad});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.output.find("bad.yaml:2: unknown field `audit`"), std::string::npos)
      << refused.output;
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

/// The lines of a log, each of which must be an object.
std::vector<OrderedJson> records(const std::string& log) {
  std::vector<OrderedJson> all;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    auto json = OrderedJson::parse(line, nullptr, false);
    EXPECT_TRUE(json.is_object() && json.contains("time") && json.contains("process")) << line;
    if (json.is_object()) all.push_back(std::move(json));
  }
  return all;
}

/// The last line about a call with these words of it; null: none.
OrderedJson record_of(const std::string& log, const std::string& event, const std::string& tool) {
  OrderedJson found;
  for (auto& record : records(log))
    if (record.value("event", "") == event && record.value("tool", "") == tool) found = record;
  return found;
}

TEST_F(Extensions, HaveServicesAskedAndLogWhatTheyRefuse) {
  const std::string secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const auto service = *local::ChildProcess::start(
      {.argv = {"python3", TOOLWAY_SOURCE_DIR "/tests/support/python/webhook_service.py",
                dir_ / "port", secret}});
  ASSERT_TRUE(wait_for([&] { return std::ifstream(dir_ / "port").good(); }));
  const auto origin = "http://127.0.0.1:" + text_of(dir_ / "port");
  const auto services =
      file("services.yaml", "services: [{url: '" + origin + "', secret: " + secret +
                                ", allow_addresses: [127.0.0.1]}]\n");
  ASSERT_EQ(chmod(services.c_str(), 0600), 0);
  const auto rules = file("rules.yaml", "rules: [{name: ask, ask: {url: '" + origin +
                                            "/decide'}}]\nlog: {calls: all}\n"
                                            "patterns: ['sk-[0-9]{6,}']\n");
  Dev dev(dir_, {"--extensions", rules, "--webhook-secrets", services, "--log-format", "json"});
  ASSERT_TRUE(wait_for([&] { return !dev.ready().is_null(); }, std::chrono::seconds(60)))
      << dev.log();
  url_ = dev.url();
  const auto call = [&](const std::string& tool, const std::string& arguments,
                        const std::string& user) {
    return run({"call", tool, arguments, "--session", "s", "--wait"}, user);
  };
  EXPECT_EQ(call("time.get_current_time", "{}", "ann").status, 0);
  // A user may have such a name; a line of the log must not turn.
  const std::string turned =
      "a\xe2\x80\xae"
      "nn";
  const auto refused = call("filesystem.hash_file", R"({"path": "sk-123456789"})", turned);
  EXPECT_EQ(refused.status, 3) << refused.output;
  EXPECT_NE(refused.output.find("not for a"), std::string::npos) << refused.output;
  const auto wrong = call("filesystem.hash_file", R"({"path": 5, "sk-123456789": 1})", "ann");
  EXPECT_EQ(wrong.output.find("sk-123"), std::string::npos) << wrong.output;

  const auto unknown = call("sk-123456789", "{}", "ann");
  EXPECT_EQ(unknown.status, 3) << unknown.output;

  const auto gateway = text_of(dir_ / "data/logs/gateway-0.log");
  EXPECT_FALSE(record_of(gateway, "call_refused", "[secret]").is_null()) << gateway;
  const auto record = record_of(gateway, "call_refused", "filesystem.hash_file");
  ASSERT_FALSE(record.is_null()) << gateway;
  EXPECT_EQ(record["tenant"], "default");
  const auto accepted = record_of(gateway, "call_accepted", "time.get_current_time");
  EXPECT_EQ(accepted["user"], "ann") << gateway;
  EXPECT_EQ(accepted["reasons"][0]["because"], "ask") << gateway;
  EXPECT_NE(gateway.find(R"(a\\u202enn)"), std::string::npos) << gateway;
  EXPECT_TRUE(wait_for([&] {
    return !record_of(text_of(dir_ / "data/logs/worker-0.log"), "call_ended",
                      "time.get_current_time")
                .is_null();
  }));
  records(text_of(dir_ / "data/logs/collector-0.log"));
  for (const char* name : {"gateway-0", "worker-0", "collector-0"}) {
    const auto log = text_of(dir_ / ("data/logs/" + std::string(name) + ".log"));
    for (const char* hidden : {"sk-123", "whsec_", "MfKQ9r8", "\xe2\x80\xae", "\x1b"})
      EXPECT_EQ(log.find(hidden), std::string::npos) << name << " shows " << hidden;
  }
  const auto shown = operate("show", {"time.get_current_time", "--as", "ann", "-o", "json"});
  EXPECT_NE(shown.output.find("asks " + origin + "/decide before calls"), std::string::npos)
      << shown.output;
  dev.process->signal(SIGINT);
  EXPECT_EQ(dev.process->wait(std::chrono::seconds(60)), 0) << dev.log();
}

TEST_F(Extensions, AFileOfServicesThatOthersMayReadStartsNothing) {
  const auto services = file("services.yaml", "services: []\n");
  ASSERT_EQ(chmod(services.c_str(), 0644), 0);
  const auto gateway =
      run_toolway(dir_, {"gateway", "--webhook-secrets", services, "--http", "127.0.0.1:0"},
                  {{"TOOLWAY_POSTGRES_URL", "postgresql://nowhere.invalid/x"}});
  EXPECT_NE(gateway.output.find("chmod 600"), std::string::npos) << gateway.output;
  EXPECT_EQ(gateway.output.find("NATS"), std::string::npos) << "before anything is connected";
  EXPECT_NE(run({"worker", "--webhook-secrets", services}).output.find("chmod 600"),
            std::string::npos);
}

TEST_F(Extensions, AFileWithMistakesStartsNothing) {
  const auto bad = file("bad.yaml", "rule: []\n");
  const auto check = run({"extensions", "check", bad});
  EXPECT_EQ(check.status, 2);
  EXPECT_NE(check.output.find("bad.yaml:1: unknown field `rule`; did you mean `rules`?"),
            std::string::npos)
      << check.output;
  EXPECT_EQ(run({"extensions", "check", bad, "-o", "json"}).json()["mistakes"].size(), 1U);
  EXPECT_EQ(run({"extensions", "check", kExample}).output, "3 rules, 3 roles\n");
  const auto dev =
      run({"dev", "--data", dir_ / "data", "--http", "127.0.0.1:0", "--extensions", bad});
  EXPECT_EQ(dev.status, 2) << dev.output;
  EXPECT_NE(dev.output.find("did you mean `rules`?"), std::string::npos) << dev.output;
  EXPECT_FALSE(std::ifstream(dir_ / "data/nats").good());
}

}  // namespace
}  // namespace toolway::cli
