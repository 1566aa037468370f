// Refusals leave the same trace through whichever endpoint they came: they are counted by code, and
// the audit hears of them.
#include "proto/audit.h"
#include "tests/integration/gateway/hostile_mcp.h"
#include "tests/support/forwarding_bus.h"

namespace toolway::test {
namespace {

constexpr const char* kPolicy =
    "roles:\n  agent: {permissions: ['call:sample.*']}\n  none: {permissions: ['files:read']}\n"
    "default_roles: agent\nrules:\n  - {name: no, tools: sample.throws, refuse: not now}\n"
    "  - {name: others, tools: sample.counts, approval: always}\n"
    "  - {name: two, tools: sample.hangs,\n"
    "     approval: {quorum: 2, roles: [agent], requester_may_decide: true}}\n";

/// Takes its time with the audit, as NATS does under load.
class SlowAudit final : public ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  void publish(bus::Publication publication, bus::PublishHandler handler) override {
    if (!publication.subject.starts_with("audit."))
      return inner().publish(std::move(publication), std::move(handler));
    slow_.push_back(std::async(std::launch::async, [=, this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      inner().publish(publication, handler);
    }));
  }

 private:
  std::vector<std::future<void>> slow_;
};

class GatewayRefusals : public AskingGateway {
 protected:
  void SetUp() override {
    AskingGateway::SetUp();
    ann_ = bearer(add_key("ann"));
    v1::ApiKeyRecord record;
    record.add_roles("none");
    bob_ = bearer(add_key("bob", record));
    const auto probe = bearer(add_key("probe"));
    put_policy(kPolicy);
    for (int i = 0; i < 500 && status(ask("GET /v1/workers", "", probe)) != 403; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  void TearDown() override { gateway_.reset(); }  // before its bus
  bus::Bus& bus() override { return slow_; }
  /// Of requests for a call.
  int counted(const std::string& code) {
    const auto page = metrics_->scrape();
    const auto series = fmt::format("toolway_calls_refused_total{{code=\"{}\"}} ", code);
    const auto at = page.find(series);
    return at == std::string::npos ? 0 : std::stoi(page.substr(at + series.size()));
  }
  /// What the audit was told of a user until the gateway ended: how often which code.
  std::map<std::string, int> audited(const std::string& user) {
    gateway_.reset();
    std::map<std::string, int> found;
    for (std::uint64_t next = 1;;) {
      Awaited<Result<bus::StoredMessage>> got;
      memory_->next_message(proto::kAuditStream, "audit.>", next, bus::ReadFrom::kLeader,
                            got.callback());
      const auto message = got.next();
      if (!message || !*message) return found;
      v1::AuditRecord record;
      EXPECT_TRUE(proto::decode((*message)->payload, record));
      if (record.user_id() == user)
        found[record.code()] += (*parse_json(record.details()))["count"].get<int>();
      next = (*message)->sequence + 1;
    }
  }
  std::string call_over_mcp(const std::string& tool) {
    return ask(
        "POST /mcp",
        message("tools/call", with_meta(fmt::format(R"("name":"{}","arguments":{{}})", tool))),
        ann_ + modern("tools/call", tool));
  }

  /// Ann's call of a tool that is held.
  std::string held(const std::string& tool) {
    const auto called = ask("POST /v1/sessions/s/calls",
                            fmt::format(R"({{"tool":"{}","arguments":{{}}}})", tool), ann_);
    EXPECT_EQ(body(called)["status"], "awaiting_approval") << called;
    memory_->quiesce();
    return body(called)["call_id"].get<std::string>();
  }
  /// Ann approves it as an MCP client.
  void approve_over_mcp(const std::string& call) {
    const auto params = fmt::format(
        R"("taskId":"{}","inputResponses":{{"toolway.approve":{{"action":"accept","content":{{"approve":true}}}}}})",
        call);
    const auto answer = ask("POST /mcp/s", message("tasks/update", declaring_tasks(params)),
                            ann_ + modern("tasks/update", call));
    EXPECT_EQ(said(answer), "200 result") << "its client is told nothing of it: " << answer;
    memory_->quiesce();
  }
  static std::string declaring_tasks(const std::string& params) {
    return params + R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                    R"("io.modelcontextprotocol/clientCapabilities":)"
                    R"({"extensions":{"io.modelcontextprotocol/tasks":{}}}})";
  }

  SlowAudit slow_{*memory_};
  std::string ann_;
  std::string bob_;
};

TEST_F(GatewayRefusals, OfAnApprovalOverMcpAreAuditedAsOverRest) {
  ASSERT_EQ(
      201, status(ask("POST /v1/sessions", R"({"session_id":"s","namespaces":["sample"]})", ann_)));
  const auto not_hers = held("counts");
  EXPECT_EQ(status(ask("POST /v1/calls/" + not_hers + "/approve", "{}", ann_)), 403);
  approve_over_mcp(not_hers);
  const auto of_two = held("hangs");
  approve_over_mcp(of_two);
  EXPECT_EQ(code(ask("POST /v1/calls/" + of_two + "/approve", "{}", ann_)), "approval_decided");
  approve_over_mcp(of_two);
  EXPECT_EQ(counted("permission_denied"), 0) << "neither was a request for a call";
  EXPECT_EQ(audited("ann"),
            (std::map<std::string, int>{{"permission_denied", 2}, {"approval_decided", 2}}));
}

TEST_F(GatewayRefusals, OverMcpAreCountedAndAudited) {
  EXPECT_EQ(said(call_over_mcp("sample__throws")), "200 isError permission_denied");
  EXPECT_EQ(counted("permission_denied"), 1);
  EXPECT_EQ(said(call_over_mcp("sample__nothing")), "400 -32602");
  EXPECT_EQ(counted("unknown_tool"), 1);
  EXPECT_EQ(audited("ann"), (std::map<std::string, int>{{"permission_denied", 1}}))
      << "a name that is merely wrong is not in the audit";
}

TEST_F(GatewayRefusals, ByTheFacesOfModelsAreCountedAndAudited) {
  const std::pair<const char*, const char*> requests[]{
      {"POST /v1/chat/completions", R"({"model":"m","messages":[{"role":"user","content":"hi"}]})"},
      {"POST /v1/responses", R"({"model":"m","input":"hi"})"},
      {"POST /v1/messages",
       R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]})"}};
  int asked = 0;
  for (const auto& [line, sent] : requests) {
    const auto answer = ask(line, sent, bob_);
    EXPECT_EQ(status(answer), 403) << line << "\n" << answer;
    EXPECT_TRUE(body(answer).contains("error")) << "in the API's own form: " << answer;
    EXPECT_EQ(counted("permission_denied"), ++asked) << line;
  }
  EXPECT_EQ(audited("bob"), (std::map<std::string, int>{{"permission_denied", asked}}));
}

TEST_F(GatewayRefusals, OverRestAreCountedAndAuditedOnce) {
  ASSERT_EQ(
      201, status(ask("POST /v1/sessions", R"({"session_id":"s","namespaces":["sample"]})", ann_)));
  EXPECT_EQ(status(ask("POST /v1/sessions/s/calls", R"({"tool":"throws"})", ann_)), 403);
  EXPECT_EQ(status(ask("POST /v1/sessions/s/calls:batch",
                       R"({"calls":[{"tool":"throws"},{"tool":"throws"}]})", ann_)),
            422);
  EXPECT_EQ(counted("permission_denied"), 3);
  EXPECT_EQ(audited("ann"), (std::map<std::string, int>{{"permission_denied", 3}}));
}

}  // namespace
}  // namespace toolway::test
