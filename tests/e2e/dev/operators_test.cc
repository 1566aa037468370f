// What operators do over HTTP alone: a gateway's URL and its token, neither Postgres nor NATS.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "cli/stack/run_files.h"
#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

std::string say(const std::string& version) {
  return "tools:\n  - {name: say, namespace: shop, kind: command, version: \"" + version +
         "\", input_schema: {type: object}, implementation_config: {argv: [printf, '%s', 'version " +
         version + "']}}\n";
}

class Operators : public testing::Test {
 protected:
  void SetUp() override {
    dev_ = std::make_unique<Dev>(dir_, std::vector<std::string>{"--gateways", "2"});
    ASSERT_TRUE(dev_->ready().is_object()) << dev_->log();
    urls_ = dev_->ready()["http_all"].get<std::vector<std::string>>();
    token_ = (std::filesystem::path(dir_ / "data") / "run" / "operator-token").string();
  }
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = dir_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  /// From a laptop: all that is known is a URL and a token.
  Ran laptop(std::vector<std::string> arguments, const std::string& url) {
    arguments.insert(arguments.end(), {"--url", url, "--token-file", token_});
    return run_toolway(dir_, arguments);
  }
  Ran call(const std::string& url) {
    return run_toolway(dir_, {"call", "shop.say", "{}", "--session", "s", "--wait", "--url", url});
  }
  client::HttpAnswer ask(const std::string& method, const std::string& target,
                         const std::string& body = "", const std::string& authorization = "") {
    auto client = client::HttpClient::create({.url = urls_[0]});
    client::HttpClient::Headers headers;
    if (!authorization.empty()) headers["Authorization"] = authorization;
    auto answer = (*client)->request(method, target, body, headers);
    return answer ? *answer : client::HttpAnswer{};
  }

  const test::TempDir dir_;
  std::unique_ptr<Dev> dev_;
  std::vector<std::string> urls_;
  std::string token_;
};

TEST_F(Operators, DoToSpecsWhatTheyDoInPostgres) {
  const auto put = laptop({"specs", "put", file("one.yaml", say("1")), "--by", "ann"}, urls_[1]);
  EXPECT_EQ(put.status, 0) << put.output;
  EXPECT_NE(put.output.find("added     shop.say\n1 added, 0 changed, 0 unchanged"),
            std::string::npos)
      << put.output;
  // The next command of the documentation, at once.
  const auto first = call(urls_[1]);
  EXPECT_NE(first.output.find("version 1"), std::string::npos) << first.output;
  EXPECT_EQ(laptop({"specs", "put", file("two.yaml", say("2")), "--note", "n"}, urls_[0]).status,
            0);
  EXPECT_NE(call(urls_[0]).output.find("version 2"), std::string::npos);
  const auto again = laptop({"specs", "put", dir_ / "two.yaml"}, urls_[0]);
  EXPECT_NE(again.output.find("0 added, 0 changed, 1 unchanged"), std::string::npos);

  // History, differences and refusals are those of the database, whichever way they are asked.
  const std::vector<std::vector<std::string>> verbs{
      {"specs", "list", "-o", "json"},
      {"specs", "history", "shop.say", "-o", "json"},
      {"specs", "diff", "shop.say", "1", "2", "-o", "json"},
      {"specs", "diff", "shop.say", "1", "7"},
      {"specs", "show", "shop.say"},
      {"specs", "rollback", "shop.say", "--to", "2"},
      {"specs", "rollback", "shop.say", "--to", "9"},
      {"specs", "promote", "shop.say"},
      {"specs", "remove", "shop.sai"},
      {"specs", "history", "shop.sai"}};
  const auto postgres = stack::postgres_url_file(dir_ / "data");
  for (const auto& verb : verbs) {
    auto direct = verb;
    direct.insert(direct.end(), {"--postgres-url-file", postgres});
    const auto there = run_toolway(dir_, direct);
    const auto here = laptop(verb, urls_[1]);
    EXPECT_EQ(here.status, there.status) << verb[1] << here.output;
    EXPECT_EQ(here.output, there.output) << verb[1];
  }
  EXPECT_EQ(laptop({"specs", "put", dir_ / "one.yaml", "--rollout", "50"}, urls_[0]).status, 0);
  const auto same = laptop({"specs", "put", dir_ / "two.yaml", "--rollout", "50"}, urls_[0]);
  EXPECT_EQ(same.status, 2) << same.output;
  EXPECT_NE(same.output.find("is the same as its stable version; nothing was put"),
            std::string::npos)
      << same.output;
  EXPECT_EQ(laptop({"specs", "promote", "shop.say"}, urls_[0]).status, 0);
  EXPECT_NE(call(urls_[0]).output.find("version 1"), std::string::npos);
  EXPECT_EQ(laptop({"specs", "remove", "shop.say"}, urls_[0]).status, 0);
}

TEST_F(Operators, SwitchToolsOffAndOn) {
  const auto off = laptop(
      {"tools", "disable", "time.get_current_time", "--reason", "clock", "-o", "json"}, urls_[0]);
  EXPECT_EQ(off.status, 0) << off.output;
  EXPECT_EQ(off.json()["reason"], "clock");
  const auto listed = laptop({"tools", "disabled", "-o", "json"}, urls_[1]).json();
  EXPECT_TRUE(wait_for([&] {
    return laptop({"tools", "disabled", "-o", "json"}, urls_[1]).json()["disabled"].size() == 1;
  }));
  const auto refused = run_toolway(dir_, {"call", "time.get_current_time", "--url", urls_[0]});
  EXPECT_NE(refused.output.find("switched off: clock"), std::string::npos) << refused.output;
  const auto mistyped = laptop({"tools", "disable", "time.get_curent_time"}, urls_[0]);
  EXPECT_EQ(mistyped.status, 3);
  EXPECT_NE(mistyped.output.find("did you mean 'time.get_current_time'?"), std::string::npos)
      << mistyped.output;
  EXPECT_EQ(laptop({"tools", "enable", "time.get_curent_time"}, urls_[0]).status, 3);
  EXPECT_EQ(laptop({"tools", "enable", "time.get_current_time"}, urls_[0]).status, 0);
  // Without any gateway, the operator of this machine can still do it.
  kill(dev_->pid_of("gateway"), SIGSTOP);
  const auto silent =
      run_toolway(dir_, {"tools", "disable", "time", "--future", "--nats", dev_->ready()["nats"]});
  kill(dev_->pid_of("gateway"), SIGCONT);
  EXPECT_EQ(silent.status, 0) << silent.output;
}

TEST_F(Operators, AreThoseWhoKnowTheToken) {
  struct stat found{};
  ASSERT_EQ(stat(token_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
  auto token = text_of(token_);
  token.pop_back();
  for (const auto& [method, target, body] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"GET", "/v1/specs", ""},
           {"POST", "/v1/specs", "{}"},
           {"POST", "/v1/specs:remove", "{}"},
           {"GET", "/v1/specs/a.b/history", ""},
           {"GET", "/v1/specs/a.b/diff", ""},
           {"POST", "/v1/specs/a.b/rollback", "{}"},
           {"POST", "/v1/specs/a.b/promote", "{}"},
           {"GET", "/v1/switches", ""},
           {"PUT", "/v1/switches/time", "{}"},
           {"DELETE", "/v1/switches/time", ""}}) {
    const auto none = ask(method, target, body);
    EXPECT_EQ(none.status, 401) << method << target;
    EXPECT_EQ(none.json()["code"], "unauthenticated");
    EXPECT_EQ(ask(method, target, body, "Bearer " + token + "x").status, 401) << method << target;
    EXPECT_NE(ask(method, target, body, "Bearer " + token).status, 401) << method << target;
  }
  const auto mistakes =
      ask("POST", "/v1/specs",
          R"({"files":[{"name":"a.yaml","text":"tools:\n  - {name: x, colour: red}\n"}]})",
          "Bearer " + token);
  EXPECT_EQ(mistakes.status, 422);
  EXPECT_EQ(mistakes.json()["code"], "invalid_spec");
  EXPECT_EQ(mistakes.json()["errors"][0]["path"], "a.yaml:2") << mistakes.body;
  const auto said = run_toolway(
      dir_,
      {"specs", "list", "--url", "http://localhost:" + urls_[0].substr(urls_[0].rfind(':') + 1)});
  EXPECT_EQ(said.status, 3) << said.output;
  EXPECT_NE(said.output.find("--key-file"), std::string::npos) << said.output;
  EXPECT_EQ(dev_->log().find(token), std::string::npos);
  dev_->process->signal(SIGINT);
  dev_->process->wait(std::chrono::seconds(60));
  EXPECT_FALSE(std::filesystem::exists(token_));
}

TEST_F(Operators, AreToldOfAGatewayThatTakesNone) {
  const auto address = std::string("127.0.0.1:0");
  auto gateway = local::ChildProcess::start(
      {.argv = {TOOLWAY_PROGRAM, "gateway", "--http", address, "--ready-file", dir_ / "g.json"},
       .environment = {{"TOOLWAY_NATS_URL", dev_->ready()["nats"]},
                       {"TOOLWAY_POSTGRES_URL", dev_->ready()["postgres"]}},
       .log_file = dir_ / "g.log"});
  ASSERT_TRUE(gateway);
  ASSERT_TRUE(wait_for([&] { return std::filesystem::exists(dir_ / "g.json"); }));
  const auto url = parse_json(text_of(dir_ / "g.json"))->at("http").get<std::string>();
  const auto refused = laptop({"specs", "list"}, url);
  EXPECT_EQ(refused.status, 3);
  EXPECT_NE(refused.output.find("start it with --operator-token-file FILE"), std::string::npos)
      << refused.output;
  (*gateway)->signal(SIGTERM);
  (*gateway)->wait(std::chrono::seconds(30));
  ASSERT_EQ(chmod(file("open-token", "t").c_str(), 0644), 0);
  const auto others = run_toolway(
      dir_, {"gateway", "--http", address, "--operator-token-file", dir_ / "open-token"},
      {{"TOOLWAY_NATS_URL", dev_->ready()["nats"]},
       {"TOOLWAY_POSTGRES_URL", dev_->ready()["postgres"]}});
  EXPECT_EQ(others.status, 2) << others.output;
  EXPECT_NE(others.output.find("chmod 600"), std::string::npos) << others.output;
}

}  // namespace
}  // namespace toolway::cli
