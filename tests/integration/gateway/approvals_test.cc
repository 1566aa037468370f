// Calls that are held, over real sockets: what another tenant sees of them, and what becomes of one
// whose tool changes.
#include "tests/integration/gateway/auth_fixture.h"
#include "tests/integration/gateway/hostile_mcp.h"
#include "tools/model/kinds.h"

namespace toolway::test {
namespace {

class GatewayApprovals : public AskingGateway {
 protected:
  void SetUp() override {
    AskingGateway::SetUp();
    ann_ = bearer(add_key("ann"));
    bea_ = bearer(add_key("bea"));
    v1::ApiKeyRecord probe;
    probe.set_tenant_id("probe");
    const auto key = bearer(add_key("probe", probe));
    put_policy(
        "rules: [{name: hold, tools: sample.throws, approval: always}]\n"
        "tenants: {probe: {namespaces: none}}\n");
    for (int i = 0; i < 500 && status(ask("GET /v1/tools", "", key)) != 403; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ASSERT_EQ(201, status(ask("POST /v1/sessions", R"({"session_id":"s","namespaces":["sample"]})",
                              ann_)));
  }
  /// Ann's call, which waits for someone of her tenant.
  std::string held() {
    const auto called = ask("POST /v1/sessions/s/calls", R"({"tool":"throws"})", ann_);
    EXPECT_EQ(status(called), 202) << called;
    EXPECT_EQ(body(called)["status"], "awaiting_approval") << called;
    memory_->quiesce();
    return body(called)["call_id"].get<std::string>();
  }
  std::string decide(const std::string& call, const char* verb, const std::string& headers) {
    return ask(fmt::format("POST /v1/calls/{}/{}", call, verb), "{}", headers);
  }
  Json shown(const std::string& call) { return body(ask("GET /v1/calls/" + call, "", ann_)); }

  std::string ann_;
  std::string bea_;
};

TEST_F(GatewayApprovals, OfAnotherTenantAreNotThere) {
  const auto call = held();
  v1::ApiKeyRecord elsewhere;
  elsewhere.set_tenant_id("zorg");
  for (const auto& key : {add_key("ann", elsewhere), add_key("bea", elsewhere)}) {
    const auto other = bearer(key);
    for (const char* verb : {"approve", "deny"}) {
      const auto refused = decide(call, verb, other);
      EXPECT_EQ(status(refused), 404) << refused;
      EXPECT_EQ(code(refused), "unknown_call");
    }
    EXPECT_EQ(body(ask("GET /v1/approvals", "", other))["approvals"], Json::array());
    EXPECT_EQ(status(ask("GET /v1/calls/" + call, "", other)), 404);
  }
  EXPECT_EQ(shown(call)["state"], "held");
  // Without the other tenant, the same decision counts.
  EXPECT_EQ(body(ask("GET /v1/approvals", "", bea_))["approvals"][0]["call_id"], call);
  const auto denied = decide(call, "deny", bea_);
  EXPECT_EQ(body(denied)["state"], "denied") << denied;
}

// Each would otherwise wait for longer than this test does.
TEST_F(GatewayApprovals, AreNotWaitedFor) {
  const auto calls =
      R"({"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"sample__throws","arguments":"{}"}}]})";
  const auto answer =
      ask("POST /v1/sessions/s/tool_calls?format=openai&inline_ms=300000", calls, ann_);
  ASSERT_EQ(status(answer), 200) << answer;
  EXPECT_EQ(body(answer)["calls"][0]["status"], "awaiting_approval") << answer;
  const auto called = ask(
      "POST /mcp/s", message("tools/call", with_meta(R"("name":"sample__throws","arguments":{})")),
      ann_ + modern("tools/call", "sample__throws"));
  ASSERT_EQ(status(called), 200) << called;
  EXPECT_EQ(body(called)["result"]["_meta"]["toolway/status"], "awaiting_approval") << called;
}

TEST_F(GatewayApprovals, OfAToolThatHasChangedAreStale) {
  const auto call = held();
  // As an operator edits it while the call waits.
  auto edited = std::make_shared<tools::model::Registry>();
  for (const auto* tool : live_.now()->list()) {
    auto spec = tool->spec();
    if (spec.name == "throws") spec.description = "edited";
    ASSERT_TRUE(edited->add(tools::model::declared_tool(std::move(spec))));
  }
  live_.replace(edited);
  const auto approved = decide(call, "approve", bea_);
  EXPECT_EQ(status(approved), 409) << approved;
  EXPECT_EQ(code(approved), "approval_stale");
  const auto end = shown(call);
  EXPECT_EQ(end["outcome"], "rejected") << end;
  EXPECT_EQ(end["error"]["code"], "approval_stale");
  EXPECT_EQ(code(decide(call, "approve", bea_)), "approval_stale") << "for good";
}

}  // namespace
}  // namespace toolway::test
