// Versions of tools in a whole stack, by the operator's own verbs.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "tests/e2e/dev/dev_stack.h"

namespace toolway::cli {
namespace {

using std::chrono::seconds;

std::string say(const std::string& version, const std::string& more = "") {
  return "  - {name: say, namespace: shop, kind: command, version: \"" + version +
         "\", input_schema: {type: object}, " + more +
         "implementation_config: {argv: [printf, '%s', 'version " + version + "']}}\n";
}

class Versions : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = dir_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  Ran toolway(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--data", dir_ / "data"});
    return run_toolway(dir_, arguments);
  }
  Ran call(const std::string& url, const std::string& session) {
    return run_toolway(dir_, {"call", "shop.say", "{}", "--session", session, "--wait", "--url",
                              url, "--user", "e2e"});
  }
  Json ask(const std::string& url, const std::string& verb, const std::string& target,
           const std::string& body = "") {
    auto client = client::HttpClient::create({.url = url, .user = "e2e"});
    auto answer = (*client)->request(verb, target, body);
    if (!answer) return {};
    auto json = parse_json(answer->body);
    return json ? *json : Json();
  }
  /// The version of shop.say that a gateway's list of all tools has; empty: none.
  std::string offered(const std::string& url) {
    const Json listed = ask(url, "GET", "/v1/tools");
    for (const auto& tool : listed.value("tools", Json::array())) {
      if (tool["namespace"] == "shop") return tool["version"];
    }
    return "";
  }

  const test::TempDir dir_;
};

TEST_F(Versions, AreRolledOutRolledBackAndSwitchedOffEverywhere) {
  Dev dev(dir_, {"--gateways", "2"});
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  const auto urls = dev.ready()["http_all"].get<std::vector<std::string>>();
  const auto everywhere = [&](const std::string& version) {
    const auto begun = std::chrono::steady_clock::now();
    const bool is =
        wait_for([&] { return offered(urls[0]) == version && offered(urls[1]) == version; });
    std::printf("version %s everywhere after %.2f s\n", version.c_str(),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    return is;
  };
  ASSERT_EQ(
      toolway({"specs", "put", file("one.yaml", "tools:\n" + say("1")), "--by", "ann"}).status, 0);
  ASSERT_TRUE(everywhere("1"));
  ASSERT_EQ(toolway({"specs", "put", file("two.yaml", "tools:\n" + say("2"))}).status, 0);
  ASSERT_TRUE(everywhere("2"));

  const auto back = toolway({"specs", "rollback", "shop.say", "--note", "two was wrong"});
  EXPECT_EQ(back.status, 0) << back.output;
  ASSERT_TRUE(everywhere("1"));
  const auto history = toolway({"specs", "history", "shop.say", "-o", "json"}).json()["history"];
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(history[0]["by"], "ann");
  EXPECT_EQ(history[2]["what"], "rollback");
  EXPECT_EQ(history[2]["note"], "two was wrong");
  EXPECT_EQ(history[2]["digest"], history[0]["digest"]);
  const auto same = toolway({"specs", "rollback", "shop.say", "--to", "1"});
  EXPECT_EQ(same.status, 2);
  EXPECT_NE(same.output.find("version 1 of 'shop.say' is already in force"), std::string::npos)
      << same.output;
  const auto diff = toolway({"specs", "diff", "shop.say", "1", "2"});
  EXPECT_NE(diff.output.find("/implementation_config/argv"), std::string::npos) << diff.output;

  // Half of the sessions get the second version: listing and calls of each agree, over any gateway.
  ASSERT_EQ(toolway({"specs", "put", dir_ / "two.yaml", "--rollout", "50"}).status, 0);
  const auto candidate = [&](const std::string& url) {
    const Json listed = ask(url, "GET", "/v1/tools");
    for (const auto& tool : listed.value("tools", Json::array())) {
      if (tool["namespace"] == "shop" && tool.contains("candidate"))
        return tool["candidate"]["rollout"] == 50;
    }
    return false;
  };
  ASSERT_TRUE(wait_for([&] { return candidate(urls[0]) && candidate(urls[1]); }));
  std::set<std::string> seen;
  for (int i = 0; i < 12; ++i) {
    const auto session = "s" + std::to_string(i);
    const auto opened = ask(urls[0], "POST", "/v1/sessions",
                            R"({"session_id":")" + session + R"(","namespaces":["shop"]})");
    const std::string version = opened["tools"][0]["version"];
    seen.insert(version);
    EXPECT_EQ(ask(urls[1], "GET", "/v1/sessions/" + session + "/tools")["tools"][0]["version"],
              version);
    const auto ran = call(urls[1], session);
    EXPECT_NE(ran.output.find("version " + version), std::string::npos) << ran.output;
    const auto calls = ask(urls[0], "GET", "/v1/sessions/" + session + "/calls?limit=1");
    EXPECT_EQ(calls["calls"][0]["spec_digest"], history[version == "1" ? 0 : 1]["digest"]) << calls;
  }
  EXPECT_EQ(seen.size(), 2U);  // one in 2,048 fleets is this unlucky
  EXPECT_EQ(toolway({"specs", "promote", "shop.say"}).status, 0);
  ASSERT_TRUE(everywhere("2"));

  const auto off =
      toolway({"tools", "disable", "shop.say", "--reason", "being repaired", "--by", "ann"});
  EXPECT_EQ(off.status, 0) << off.output;
  EXPECT_TRUE(
      wait_for([&] { return call(urls[0], "s0").status == 3 && call(urls[1], "s1").status == 3; }));
  EXPECT_NE(call(urls[1], "s0").output.find("tool 'shop.say' is switched off: being repaired"),
            std::string::npos);
  EXPECT_EQ(ask(urls[1], "GET", "/v1/sessions/s0/tools")["tools"].size(), 0U);
  const auto listed = toolway({"tools", "disabled", "-o", "json"}).json()["disabled"];
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0]["by"], "ann");
  EXPECT_NE(run_toolway(dir_, {"tools", "--url", urls[0]}).output.find("  single  disabled"),
            std::string::npos);
  EXPECT_EQ(toolway({"tools", "enable", "shop.sai"}).status, 3);
  // A name that the fleet does not have is most likely a typing error, and the real tool would run
  // on.
  const auto mistyped = toolway({"tools", "disable", "shop.sai"});
  EXPECT_EQ(mistyped.status, 3) << mistyped.output;
  EXPECT_NE(mistyped.output.find("the fleet has no tool 'shop.sai'; did you mean 'shop.say'?"),
            std::string::npos)
      << mistyped.output;
  EXPECT_EQ(toolway({"tools", "disable", "shopp"}).status, 3);
  EXPECT_EQ(toolway({"tools", "disabled", "-o", "json"}).json()["disabled"].size(), 1U)
      << "nothing else was switched off";
  EXPECT_EQ(toolway({"tools", "disable", "shop.soon", "--future"}).status, 0);
  EXPECT_EQ(toolway({"tools", "enable", "shop.soon"}).status, 0);
  const auto unasked = toolway({"tools", "disable", "shop.soon", "--url", "http://127.0.0.1:1"});
  EXPECT_EQ(unasked.status, 0) << "a switch works while no gateway answers";
  EXPECT_NE(unasked.output.find("cannot tell whether there is a tool shop.soon"), std::string::npos)
      << unasked.output;
  EXPECT_EQ(toolway({"tools", "enable", "shop.soon"}).status, 0);
  EXPECT_EQ(toolway({"tools", "disable", "a.b.c"}).status, 2);
  EXPECT_EQ(toolway({"tools", "enable", "shop.say"}).status, 0);
  EXPECT_TRUE(wait_for([&] { return call(urls[1], "s0").status == 0; }));
}

TEST_F(Versions, OfAnEnvironmentAreWhatItsOverlaysSay) {
  const auto base = file("base.yaml", "tools:\n" + say("1"));
  const auto staging = file(
      "staging.yaml",
      "overlay: staging\ntools:\n  - name: say\n    namespace: shop\n    version: \"1-staging\"\n");
  const auto check = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"specs", "check", base, staging});
    return run_toolway(dir_, more);
  };
  EXPECT_EQ(check({}).status, 0);
  EXPECT_EQ(check({"--env", "staging"}).status, 0);
  const auto shown = run_toolway(dir_, {"specs", "show", "shop.say", base, staging, "--env",
                                        "staging", "-o", "json"})
                         .json();
  EXPECT_EQ(shown["spec"]["version"], "1-staging");
  EXPECT_EQ(shown["overlaid"][0]["at"], staging + ":5");
  Dev dev(dir_, {"--specs", base, "--specs", staging, "--env", "staging"});
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  EXPECT_EQ(offered(dev.url()), "1-staging");
  // A change of the overlay alone is picked up.
  std::ofstream(staging, std::ios::binary)
      << "overlay: staging\ntools:\n  - {name: say, namespace: shop, version: \"2-staging\"}\n";
  EXPECT_TRUE(wait_for([&] { return offered(dev.url()) == "2-staging"; }));
  std::ofstream(staging, std::ios::binary)
      << "overlay: staging\ntools:\n  - {name: say, namespace: shop, input_schema: null}\n";
  EXPECT_TRUE(wait_for([&] {
    return text_of(dir_ / "data/logs/gateway-0.log").find("a tool has no `input_schema`") !=
           std::string::npos;
  }));
  EXPECT_EQ(offered(dev.url()), "2-staging");
  EXPECT_EQ(check({}).status, 0);  // its form is right
  const auto wrong = check({"--env", "staging"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.output.find(base + ":2: a tool has no `input_schema`"), std::string::npos)
      << wrong.output;
}

}  // namespace
}  // namespace toolway::cli
