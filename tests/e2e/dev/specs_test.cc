#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

std::string python(const std::string& name, const std::string& description = "first") {
  return "  - {name: " + name + ", namespace: shop, kind: python, description: " + description +
         ", input_schema: {type: object}, implementation_config: {module: shop, function_name: f}}\n";
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path + ".new", std::ios::binary) << text;
  fs::rename(path + ".new", path);
}

std::string get(const std::string& url, const std::string& target) {
  auto client = client::HttpClient::create({.url = url, .user = "e2e"});
  if (!client) return client.error().message;
  auto answer = (*client)->request("GET", target);
  return answer ? answer->body : answer.error().message;
}

/// The description of a tool as a gateway lists it; `none` when it does not.
std::string listed(const std::string& url, const std::string& name) {
  const auto body = parse_json(get(url, "/v1/tools"));
  if (!body || !body->contains("tools")) return "no list";
  for (const auto& tool : (*body)["tools"])
    if (tool["namespace"] == "shop" && tool["name"] == name) return tool["description"];
  return "none";
}

/// How long it takes until every one of `urls` lists the tool so.
double seconds_until(const std::vector<std::string>& urls, const std::string& name,
                     const std::string& description) {
  const auto begin = Steady::now();
  for (const auto& url : urls) {
    if (!wait_for([&] { return listed(url, name) == description; })) return 1e9;
  }
  return std::chrono::duration<double>(Steady::now() - begin).count();
}

class Specs : public testing::Test {
 protected:
  void SetUp() override { fs::create_directory(dir_ / "specs"); }
  Ran specs(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "specs");
    return run_toolway(dir_, arguments);
  }
  std::vector<std::string> data() { return {"--data", dir_ / "data"}; }
  const test::TempDir dir_;
};

TEST_F(Specs, OfADirectoryAndOfTheDatabaseReachEveryGateway) {
  const auto file = dir_ / "specs/tools.yaml";
  write(
      file,
      "tools:\n" + python("buy") +
          "  - {name: say, namespace: shop, kind: command, description: Says., input_schema: {type: object, "
          "required: [text], properties: {text: {type: string}}}, implementation_config: {argv: [printf, '%s', '{text}']}}\n");
  Dev dev(dir_, {"--specs", dir_ / "specs", "--gateways", "2"});
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  const auto urls = dev.ready()["http_all"].get<std::vector<std::string>>();
  EXPECT_EQ(listed(urls[1], "buy"), "first");
  EXPECT_EQ(listed(urls[1], "say"), "Says.");
  EXPECT_EQ(get(urls[0], "/v1/tools").find("printf"), std::string::npos);

  // What is promised is one second, and two; a busy machine gets some more.
  write(file, "tools:\n" + python("buy", "second"));
  const auto by_file = seconds_until(urls, "buy", "second");
  RecordProperty("file_seconds", std::to_string(by_file));
  EXPECT_LT(by_file, 3);
  EXPECT_EQ(listed(urls[0], "say"), "none");

  write(file, "tools:\n" + python("buy", "third") + "  - {name: broken, colour: red}\n");
  const auto is_down = [&] {
    return get(urls[0], "/metrics").find("toolway_spec_source_up{source=\"file\"} 0") !=
           std::string::npos;
  };
  EXPECT_TRUE(wait_for(is_down)) << get(urls[0], "/metrics");
  EXPECT_EQ(listed(urls[0], "buy"), "second");
  EXPECT_NE(text_of(dir_ / "data/logs/gateway-0.log").find(file + ":3: "), std::string::npos);
  write(file, "tools:\n" + python("buy", "fourth"));
  EXPECT_LT(seconds_until(urls, "buy", "fourth"), 3);
  EXPECT_FALSE(is_down());

  auto put = data();
  put.insert(put.begin(), {"put", dir_ / "more.yaml"});
  write(dir_ / "more.yaml", "tools:\n" + python("sell") + python("buy", "hidden"));
  const auto added = specs(put);
  const auto by_database = seconds_until(urls, "sell", "first");
  EXPECT_EQ(added.status, 0) << added.output;
  EXPECT_NE(added.output.find("2 added, 0 changed, 0 unchanged"), std::string::npos)
      << added.output;
  RecordProperty("database_seconds", std::to_string(by_database));
  EXPECT_LT(by_database, 4);
  EXPECT_EQ(listed(urls[0], "buy"), "fourth");
  EXPECT_EQ(specs({"list", "-o", "json", "--data", dir_ / "data"}).json()["specs"][1]["name"],
            "sell");
  const auto unknown = specs({"remove", "shop.sel", "--data", dir_ / "data"});
  EXPECT_EQ(unknown.status, 3);
  EXPECT_NE(unknown.output.find("did you mean 'shop.sell'"), std::string::npos) << unknown.output;
  EXPECT_EQ(specs({"remove", "shop.sell", "--data", dir_ / "data"}).status, 0);
  EXPECT_LT(seconds_until(urls, "sell", "none"), 4);

  // Postgres away: what it held stays in force.
  EXPECT_EQ(specs(put).status, 0);
  EXPECT_LT(seconds_until(urls, "sell", "first"), 4);
  kill(dev.pid_of("postgres"), SIGKILL);
  EXPECT_EQ(listed(urls[1], "sell"), "first");

  struct stat url_file{};
  ASSERT_EQ(stat((dir_ / "data/run/postgres-url").c_str(), &url_file), 0);
  EXPECT_EQ(url_file.st_mode & 0777, 0600U);
  dev.process->signal(SIGINT);
  dev.process->wait(seconds(60));
  EXPECT_FALSE(fs::exists(dir_ / "data/run/postgres-url"));
}

TEST_F(Specs, AGatewayStartsWithoutPostgresAndNotWithMistakes) {
  Dev dev(dir_);
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  const Dev::Environment environment{
      {"TOOLWAY_NATS_URL", dev.ready()["nats"]},
      {"TOOLWAY_POSTGRES_URL", "postgresql://nobody@127.0.0.1:1/none"}};
  write(dir_ / "specs/a.yaml", "tools:\n" + python("buy") + "  - {name: broken, colour: red}\n");
  write(dir_ / "specs/b.yaml", "tools:\n" + python("buy"));
  const auto refused =
      run_toolway(dir_,
                  {"gateway", "--http", "127.0.0.1:0", "--specs", dir_ / "specs/a.yaml", "--specs",
                   dir_ / "none.yaml", "--specs", dir_ / "specs"},
                  environment);
  EXPECT_EQ(refused.status, 2) << refused.output;
  for (const char* where : {"specs/a.yaml:3: ", "none.yaml:1: "})
    EXPECT_NE(refused.output.find(dir_ / where), std::string::npos) << refused.output;

  write(dir_ / "specs/a.yaml", "tools:\n" + python("sell"));
  auto gateway = local::ChildProcess::start(
      {.argv = {TOOLWAY_PROGRAM, "gateway", "--http", "127.0.0.1:0", "--trust-user-header",
                "loopback", "--specs", dir_ / "specs", "--ready-file", dir_ / "gateway.json"},
       .environment = environment,
       .log_file = dir_ / "gateway.log"});
  ASSERT_TRUE(gateway);
  ASSERT_TRUE(wait_for([&] { return fs::exists(dir_ / "gateway.json"); }))
      << text_of(dir_ / "gateway.log");
  const auto url = (*parse_json(text_of(dir_ / "gateway.json")))["http"].get<std::string>();
  EXPECT_EQ(listed(url, "sell"), "first");
  EXPECT_EQ(listed(url, "buy"), "first");
  const auto log = text_of(dir_ / "gateway.log");
  EXPECT_NE(log.find("specs of source database cannot be read: Postgres cannot be reached"),
            std::string::npos)
      << log;
  EXPECT_EQ(log.find("nobody"), std::string::npos) << log;
}

TEST_F(Specs, CheckSaysEveryMistakeAndPutRefusesThem) {
  const auto file = dir_ / "specs/tools.yaml";
  write(file, "tools:\n" + python("buy") + python("sell"));
  const auto good = specs({"check", dir_ / "specs"});
  EXPECT_EQ(good.status, 0);
  EXPECT_EQ(good.output, file + ": 2 specs\n");
  write(file, "tools:\n" + python("buy") + "  - {name: broken, colour: red}\n" + python("buy"));
  for (const char* verb : {"check", "put"}) {
    const auto bad = specs({verb, dir_ / "specs"});
    EXPECT_EQ(bad.status, 2);
    EXPECT_NE(bad.output.find(file + ":3: "), std::string::npos) << bad.output;
    EXPECT_NE(bad.output.find(file + ":4: "), std::string::npos) << bad.output;
  }
  EXPECT_GE(specs({"check", file, "-o", "json"}).json()["mistakes"].size(), 2U);
  const auto nowhere = specs({"list", "--data", dir_ / "none"});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_NE(nowhere.output.find("no `toolway dev` is running on"), std::string::npos)
      << nowhere.output;
}

}  // namespace
}  // namespace toolway::cli
