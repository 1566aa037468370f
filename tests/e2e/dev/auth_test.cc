// `toolway dev --auth keys` and the verbs of `toolway keys`: from the first 401 to a revoked key.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

class Keys : public testing::Test {
 protected:
  void start(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--auth", "keys"});
    dev_ = std::make_unique<Dev>(dir_, std::move(more));
    ASSERT_TRUE(wait_for([&] { return !dev_->ready().is_null(); }, std::chrono::seconds(60)))
        << dev_->log();
  }
  /// As the owner of a key; none: as anybody.
  Ran run(std::vector<std::string> arguments, const std::string& key = {}) {
    Dev::Environment environment{{"TOOLWAY_URL", dev_->url()}};
    if (!key.empty()) environment["TOOLWAY_API_KEY"] = key;
    return run_toolway(dir_, arguments, std::move(environment));
  }
  /// As an operator of NATS.
  Ran keys(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "keys");
    arguments.insert(arguments.end(), {"--data", dir_ / "data", "-o", "json"});
    return run(std::move(arguments));
  }
  OrderedJson create(std::vector<std::string> more) {
    more.insert(more.begin(), "create");
    const auto made = keys(std::move(more));
    EXPECT_EQ(made.status, 0) << made.output;
    return made.json();
  }

  const test::TempDir dir_;
  std::unique_ptr<Dev> dev_;
};

TEST_F(Keys, AreHowCallersSayWhoTheyAre) {
  start({"--extensions", TOOLWAY_SOURCE_DIR "/examples/extensions.yaml", "--specs",
         TOOLWAY_SOURCE_DIR "/examples/tools", "--python-path",
         TOOLWAY_SOURCE_DIR "/examples/tools"});
  EXPECT_TRUE(wait_for([&] {
    return dev_->says("toolway keys create --user me --data " + (dir_ / "data"));
  })) << dev_->log();
  EXPECT_TRUE(dev_->says("curl -s -H \"Authorization: Bearer $TOOLWAY_API_KEY\" ")) << dev_->log();
  EXPECT_TRUE(dev_->says("toolway tools --session cli ")) << "the fleet is not everyone's to see";
  auto client = client::HttpClient::create({.url = dev_->url()});
  ASSERT_TRUE(client);
  EXPECT_EQ((*client)->request("GET", "/v1/sessions")->status, 401);
  const auto nobody = run({"session", "list"});
  EXPECT_EQ(nobody.status, 3);
  EXPECT_NE(nobody.output.find("TOOLWAY_API_KEY"), std::string::npos) << nobody.output;

  const auto caller = create({"--user", "caller", "--role", "agent", "--namespaces", "examples"});
  const auto key = caller["key"].get<std::string>();
  EXPECT_TRUE(key.starts_with("tw_" + caller["id"].get<std::string>() + "_")) << key;
  EXPECT_TRUE(
      wait_for([&] { return run({"session", "list"}, key).status == 0; }, std::chrono::seconds(2)));
  EXPECT_EQ(run({"session", "open", "s", "-n", "examples"}, key).status, 0);
  const auto called =
      run({"call", "examples.calculate_sum", R"({"numbers": [1, 2]})", "--session", "s", "--wait"},
          key);
  EXPECT_EQ(called.status, 0) << called.output;
  EXPECT_EQ(run({"session", "open", "t", "-n", "time"}, key).status, 3)
      << "the key is limited to namespace examples";
  EXPECT_EQ(run({"tools"}, key).status, 3) << "the fleet is not the agent's to see";

  // A file instead of a variable, and another user.
  const auto checker = create({"--user", "checker", "--role", "operator", "--expires", "1d"});
  std::ofstream(dir_ / "key") << checker["key"].get<std::string>() << "\n";
  EXPECT_EQ(run({"tools", "--key-file", dir_ / "key"}).status, 0);
  EXPECT_EQ(run({"session", "show", "s", "--key-file", dir_ / "key"}).status, 3)
      << "another user's session";

  const auto listed = keys({"list"});
  EXPECT_EQ(listed.output.find(key.substr(16)), std::string::npos) << "no secret is shown twice";
  ASSERT_EQ(listed.json()["keys"].size(), 2U) << listed.output;
  EXPECT_TRUE(wait_for([&] {
    const auto seen = keys({"list"}).json();
    return seen["keys"][0].contains("used_at") && seen["keys"][1].contains("used_at");
  })) << "the hour of its last use is written down";

  EXPECT_EQ(keys({"revoke", caller["id"]}).status, 0);
  EXPECT_TRUE(
      wait_for([&] { return run({"session", "list"}, key).status == 3; }, std::chrono::seconds(2)));
  EXPECT_EQ(keys({"revoke", "0123456789ab"}).status, 3);
  EXPECT_EQ(keys({"revoke", "x"}).status, 2);
  EXPECT_EQ(keys({"create", "--user", "a", "--expires", "soon"}).status, 2);
  EXPECT_EQ(dev_->log().find(key), std::string::npos);
  EXPECT_EQ(text_of(dir_ / "data/logs/gateway-0.log").find(key), std::string::npos);
}

TEST_F(Keys, CountOnThreeGatewaysWithinTwoSecondsAsPoliciesDo) {
  start({"--gateways", "3"});
  const auto made = create({"--user", "ann"});
  const auto bearer = "Bearer " + made["key"].get<std::string>();
  std::vector<std::unique_ptr<client::HttpClient>> gateways;
  for (const auto& url : dev_->ready()["http_all"].get<std::vector<std::string>>())
    gateways.push_back(*client::HttpClient::create({.url = url}));
  ASSERT_EQ(gateways.size(), 3U);
  const auto everywhere = [&](const char* target, int status) {
    return wait_for(
        [&] {
          for (const auto& gateway : gateways) {
            const auto answer = gateway->request("GET", target, {}, {{"authorization", bearer}});
            if (!answer || answer->status != status) return false;
          }
          return true;
        },
        std::chrono::seconds(2));
  };
  EXPECT_TRUE(everywhere("/v1/tools", 200));
  std::ofstream(dir_ / "policy.yaml") << "roles: {agent: {permissions: [\"call:*\"]}}\n"
                                      << "default_roles: agent\n";
  EXPECT_EQ(run({"extensions", "put", dir_ / "policy.yaml", "--data", dir_ / "data"}).status, 0);
  EXPECT_TRUE(everywhere("/v1/tools", 403)) << "the fleet is not for agents now";
  EXPECT_TRUE(everywhere("/v1/sessions", 200));
  EXPECT_EQ(keys({"revoke", made["id"]}).status, 0);
  EXPECT_TRUE(everywhere("/v1/sessions", 401));
}

TEST_F(Keys, StayAfterARestart) {
  std::string key;
  {
    start();
    key = create({"--user", "ann"})["key"].get<std::string>();
    EXPECT_TRUE(wait_for([&] { return run({"session", "list"}, key).status == 0; }));
    dev_->process->signal(SIGINT);
    dev_->process->wait(std::chrono::seconds(60));
    dev_.reset();
    std::filesystem::remove(dir_ / "ready.json");
  }
  start();
  EXPECT_EQ(run({"session", "list"}, key).status, 0) << "from the first request on";
}

TEST(AuthOptions, AreCheckedBeforeAnythingStarts) {
  const test::TempDir dir;
  const Dev::Environment nowhere{{"TOOLWAY_NATS_URL", "nats://127.0.0.1:1"},
                                 {"TOOLWAY_POSTGRES_URL", "postgres://127.0.0.1:1/x"}};
  for (const auto* verb : {"gateway", "dev"}) {
    const auto open = run_toolway(dir, {verb, "--http", "0.0.0.0:8080"}, nowhere);
    EXPECT_EQ(open.status, 2) << open.output;
    EXPECT_NE(open.output.find("--auth keys"), std::string::npos) << open.output;
    for (const auto* wrong : {"key", "none,keys"}) {
      const auto refused = run_toolway(dir, {verb, "--auth", wrong}, nowhere);
      EXPECT_EQ(refused.status, 2) << refused.output;
      EXPECT_NE(refused.output.find("is not none, keys, jwt"), std::string::npos) << refused.output;
    }
    EXPECT_EQ(run_toolway(dir, {verb, "--auth", "jwt"}, nowhere).status, 2);
  }
}

}  // namespace
}  // namespace toolway::cli
