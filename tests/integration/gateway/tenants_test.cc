// Which namespaces a tenant may open, over real sockets.
#include "tests/integration/gateway/hostile_mcp.h"

namespace toolway::test {
namespace {

class GatewayTenants : public AskingGateway {
 protected:
  void SetUp() override {
    AskingGateway::SetUp();
    ann_ = bearer(add_key("ann"));
    v1::ApiKeyRecord elsewhere;
    elsewhere.set_tenant_id("zorg");
    bob_ = bearer(add_key("bob", elsewhere));
  }
  std::string open(const std::string& session, const std::string& ns, const std::string& headers) {
    return ask("POST /v1/sessions",
               fmt::format(R"({{"session_id":"{}","namespaces":["{}"]}})", session, ns), headers);
  }
  /// Ann's tenant may open only `ns`.
  void limit_to(const std::string& ns) {
    put_policy(fmt::format("tenants: {{acme: {{namespaces: ['{}']}}}}\n", ns));
    for (int i = 0; i < 500 && status(ask("GET /v1/tools", "", ann_)) != 403; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  std::string ann_;
  std::string bob_;
};

TEST_F(GatewayTenants, OpenOnlyTheirNamespaces) {
  ASSERT_EQ(status(open("before", "sample", ann_)), 201);
  limit_to("other_*");
  const auto refused = open("s", "sample", ann_);
  EXPECT_EQ(status(refused), 403);
  EXPECT_EQ(code(refused), "permission_denied");
  EXPECT_EQ(detail(refused),
            "you may not open namespace sample: your tenant may not; open others (\"*\" stands "
            "for all that you may)");
  EXPECT_EQ(
      status(ask("POST /v1/sessions/before/namespaces", R"({"namespaces":["sample"]})", ann_)),
      403);
  EXPECT_EQ(status(open("s", "other_web", ann_)), 201);
  EXPECT_EQ(status(open("s", "sample", bob_)), 201) << "another tenant's";
  EXPECT_EQ(status(ask("GET /v1/tools", "", bob_)), 200);
}

TEST_F(GatewayTenants, SeeAndCallNothingElse) {
  ASSERT_EQ(status(open("before", "sample", ann_)), 201);
  ASSERT_EQ(status(ask("POST /v1/sessions/before/calls", R"({"tool":"hangs"})", ann_)), 202);
  EXPECT_FALSE(body(ask("GET /v1/sessions/before/tools", "", ann_))["tools"].empty());
  limit_to("other_*");
  EXPECT_EQ(body(ask("GET /v1/sessions/before/tools", "", ann_))["tools"], Json::array());
  const auto called = ask("POST /v1/sessions/before/calls", R"({"tool":"hangs"})", ann_);
  EXPECT_EQ(status(called), 403);
  EXPECT_NE(detail(called).find("your tenant may not open namespace sample"), std::string::npos)
      << called;
  const auto close = ask("POST /v1/sessions/before/calls", R"({"tool":"hang"})", ann_);
  EXPECT_EQ(status(close), 404);
  EXPECT_EQ(close.find("hangs"), std::string::npos) << "no suggestion: " << close;
  // Of everything, what may be opened is there.
  ASSERT_EQ(status(open("all", "*", ann_)), 201);
  EXPECT_EQ(body(ask("GET /v1/sessions/all/tools", "", ann_))["tools"], Json::array());
  const auto listed =
      ask("POST /mcp", message("tools/list", with_meta("")), ann_ + modern("tools/list"));
  EXPECT_EQ(body(listed)["result"]["tools"], Json::array()) << listed;
  // The limit is taken back.
  put_policy("");
  for (int i = 0; i < 500 && status(ask("GET /v1/tools", "", ann_)) != 200; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(body(ask("GET /v1/sessions/before/tools", "", ann_))["tools"].empty());
}

}  // namespace
}  // namespace toolway::test
