// The program and a gateway elsewhere: TLS, tokens, proxies.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/support/connect_proxy.h"
#include "tests/support/scripted_server.h"
#include "tests/support/test_certificate.h"

namespace toolway::cli {
namespace {

using test::ScriptedServer;

/// A gateway whose certificate no system trusts, and that answers only to its token.
class ReachedGateway : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(ca_) << certificate_.pem; }
  static bool answer(test::ScriptedConnection& to, const std::string& request) {
    const bool known = request.find("Authorization: Bearer s3cret\r\n") != std::string::npos;
    return to.send(known ? ScriptedServer::ok(R"({"tools":[],"sessions":[],"workers":[]})")
                         : ScriptedServer::status(401, "", "who?"));
  }
  /// Every answer comes within 3 s, and none shows the token.
  Ran toolway(std::vector<std::string> arguments, Dev::Environment environment = {}) const {
    environment.insert({"TOOLWAY_URL", server_.url("")});
    const auto begin = std::chrono::steady_clock::now();
    auto ran = run_toolway(dir_, arguments, environment);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3)) << ran.output;
    EXPECT_EQ(ran.output.find("s3cret"), std::string::npos) << ran.output;
    return ran;
  }

  test::TempDir dir_;
  const test::TestCertificate certificate_ = test::make_certificate("IP:127.0.0.1");
  const std::string ca_ = (dir_.path() / "ca.pem").string();
  ScriptedServer server_{answer, {.tls = certificate_.context}};
};

TEST_F(ReachedGateway, IsTrustedByItsCertificateAndToldTheToken) {
  const auto token = (dir_.path() / "token").string();
  std::ofstream(token) << "s3cret\n";
  for (const char* verb : {"tools", "workers"}) {
    const auto ran = toolway({verb, "-o", "json", "--ca-file", ca_, "--token-file", token});
    EXPECT_EQ(ran.status, 0) << ran.output;
  }
  const Dev::Environment environment{{"TOOLWAY_API_KEY", "s3cret"}, {"TOOLWAY_CA_FILE", ca_}};
  EXPECT_EQ(toolway({"session", "list"}, environment).status, 0);
  const auto unknown = toolway({"tools", "--ca-file", ca_});
  EXPECT_EQ(unknown.status, 3) << unknown.output;
  EXPECT_NE(unknown.output.find("--key-file FILE, or TOOLWAY_API_KEY"), std::string::npos);
}

TEST_F(ReachedGateway, IsSentNothingWhenItIsNotTrusted) {
  const auto ran = toolway({"tools"}, {{"TOOLWAY_TOKEN", "s3cret"}});
  EXPECT_EQ(ran.status, 4) << ran.output;
  EXPECT_NE(ran.output.find("--ca-file FILE"), std::string::npos) << ran.output;
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(ReachedGateway, IsReachedThroughAProxyOfTheEnvironmentOrTheOption) {
  const Dev::Environment environment{{"TOOLWAY_TOKEN", "s3cret"}, {"TOOLWAY_CA_FILE", ca_}};
  test::ConnectProxy proxy;
  const auto ran = toolway({"tools", "--proxy", proxy.url()}, environment);
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_FALSE(proxy.asked_for().empty());
  ScriptedServer refuses(
      [](auto& to, const std::string&) { return to.send(ScriptedServer::status(407)); });
  const auto elsewhere = toolway({"tools", "--url", "https://tools.example.com"},
                                 {{"TOOLWAY_TOKEN", "s3cret"}, {"https_proxy", refuses.url("")}});
  EXPECT_EQ(elsewhere.status, 4) << elsewhere.output;
  EXPECT_NE(elsewhere.output.find("(407)"), std::string::npos) << elsewhere.output;
  const auto plain = toolway({"tools", "--url", "http://tools.example.com"}, environment);
  EXPECT_EQ(plain.status, 2) << plain.output;
  EXPECT_NE(plain.output.find("the token was not sent"), std::string::npos) << plain.output;
}

}  // namespace
}  // namespace toolway::cli
