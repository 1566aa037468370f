// What operators do is audited under the name that their credential gives them.
#include "proto/audit.h"
#include "tests/integration/gateway/auth_fixture.h"

namespace toolway::test {
namespace {

/// Keeps who wrote.
class RecordingSpecs final : public persistence::specs::SpecStore {
 public:
  using Author = persistence::specs::SpecAuthor;
  Result<std::vector<persistence::specs::PutOutcome>> put(
      std::span<const persistence::specs::PutSpec>, const Author& author) override {
    authors.push_back(author);
    return std::vector<persistence::specs::PutOutcome>();
  }
  Result<std::vector<persistence::specs::StoredSpec>> list() override { return {}; }
  Result<void> remove(std::span<const std::string>, Which, const Author& author) override {
    authors.push_back(author);
    return {};
  }
  Result<std::vector<persistence::specs::SpecChange>> history(const std::string&) override {
    return {};
  }
  Result<persistence::specs::SpecChange> roll_back(const std::string&,
                                                   const std::optional<std::string>&,
                                                   const Author& author) override {
    authors.push_back(author);
    return persistence::specs::SpecChange{};
  }
  Result<std::string> promote(const std::string&, const Author& author) override {
    authors.push_back(author);
    return std::string("sha256:1");
  }

  std::vector<Author> authors;
};

class GatewayOperators : public AskingGateway {
 protected:
  void SetUp() override {
    AskingGateway::SetUp();
    v1::ApiKeyRecord record;
    record.add_roles("operator");
    key_ = add_key("op", record);
    put_policy("roles:\n  operator: {permissions: ['switches:*', 'specs:*']}\n");
    for (int i = 0; i < 500 && status(ask("GET /v1/switches", "", bearer(key_))) != 200; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  void TearDown() override { gateway_.reset(); }  // before its store
  persistence::specs::SpecStore* specs() override { return &specs_; }

  v1::AuditRecord last_record() {
    Awaited<Result<bus::StoredMessage>> got;
    memory_->last_message(proto::kAuditStream, "audit.gateway", bus::ReadFrom::kLeader,
                          got.callback());
    v1::AuditRecord record;
    const auto message = got.next();
    EXPECT_TRUE(message && *message && proto::decode((*message)->payload, record));
    return record;
  }

  std::string key_;
  RecordingSpecs specs_;
};

TEST_F(GatewayOperators, SwitchUnderTheirOwnNameWhateverTheySay) {
  const auto off = [&](const std::string& body, const std::string& credential) {
    const auto answer = ask("PUT /v1/switches/sample", body,
                            bearer(credential) + "content-type: application/json\r\n");
    EXPECT_EQ(status(answer), 200) << answer;
    return last_record();
  };
  auto record = off(R"({"reason":"x","by":"ap1"})", key_);
  EXPECT_EQ(record.user_id(), "op");
  EXPECT_EQ(record.tenant_id(), "acme");
  EXPECT_EQ(record.method(), "key");
  EXPECT_EQ(record.key_id(), *extensions::auth::api_key_id(key_));
  EXPECT_EQ(record.details(), R"({"reason":"x","by":"ap1"})");
  EXPECT_EQ(body(ask("GET /v1/switches", "", bearer(key_)))["disabled"][0]["by"], "ap1");
  record = off(R"({"reason":"x"})", key_);
  EXPECT_EQ(record.user_id(), "op");
  EXPECT_EQ(record.details(), R"({"reason":"x"})");
  EXPECT_EQ(body(ask("GET /v1/switches", "", bearer(key_)))["disabled"][0]["by"], "op");
  // Many have the token: all that is known is what they say.
  record = off(R"({"by":"ap1"})", "the-operators-token");
  EXPECT_EQ(record.user_id(), "ap1");
  EXPECT_EQ(record.method(), "operator");
  EXPECT_EQ(off("", "the-operators-token").user_id(), "operator");
}

TEST_F(GatewayOperators, ChangeSpecsUnderTheirOwnNameWhateverTheySay) {
  for (const auto* request :
       {"POST /v1/specs:remove", "POST /v1/specs/a.b/rollback", "POST /v1/specs/a.b/promote"}) {
    const auto body = std::string(request).ends_with("remove") ? R"({"names":["a.b"],"by":"ap1"})"
                                                               : R"({"by":"ap1"})";
    EXPECT_EQ(status(ask(request, body, bearer(key_))), 200) << request;
    ASSERT_FALSE(specs_.authors.empty());
    const auto author = specs_.authors.back();
    EXPECT_EQ(author.who, "ap1");
    ASSERT_TRUE(author.caller) << request;
    EXPECT_EQ(author.caller->user_id, "op");
    EXPECT_EQ(author.caller->tenant_id, "acme");
    EXPECT_EQ(author.caller->method, "key");
    EXPECT_EQ(author.caller->key_id, *extensions::auth::api_key_id(key_));
    EXPECT_EQ(status(ask(request, body, bearer("the-operators-token"))), 200) << request;
    EXPECT_FALSE(specs_.authors.back().caller);
    specs_.authors.clear();
  }
}

}  // namespace
}  // namespace toolway::test
