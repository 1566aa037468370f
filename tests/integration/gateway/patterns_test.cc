// What patterns of the policy hide of a call that a client sends, over real sockets.
#include "tests/integration/gateway/auth_fixture.h"

namespace toolway::test {
namespace {

class GatewayPatterns : public AskingGateway {};

TEST_F(GatewayPatterns, HideNumbersAndWhatAClientCallsItsCall) {
  const auto ann = bearer(add_key("ann"));
  put_policy(
      "roles: {agent: {permissions: ['call:sample.*']}}\ndefault_roles: agent\n"
      "patterns: ['sk-[0-9]{6,}', '[0-9]{16}']\n");
  for (int i = 0; i < 500 && status(ask("GET /v1/workers", "", ann)) != 403; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_EQ(201,
            status(ask("POST /v1/sessions", R"({"session_id":"s","namespaces":["sample"]})", ann)));
  const auto called = ask("POST /v1/sessions/s/calls",
                          R"({"tool":"ignores_cancellation","arguments":{"ms":1},)"
                          R"("topic":"about sk-123456","tool_call_id":"sk-1234567"})",
                          ann);
  ASSERT_EQ(status(called), 202) << called;
  memory_->quiesce();
  const auto call = first_call(*memory_);
  EXPECT_EQ(call.labels().topic(), "about [secret]");
  EXPECT_EQ(call.labels().tool_call_id(), "[secret]");
  EXPECT_EQ(call.secret_places_size(), 0);
  // Arguments that do not fit are quoted without it, too.
  const auto wrong =
      ask("POST /v1/sessions/s/calls",
          R"({"tool":"ignores_cancellation","arguments":{"ms":4111111111111111}})", ann);
  EXPECT_EQ(status(wrong), 422) << wrong;
  EXPECT_EQ(wrong.find("4111111111111111"), std::string::npos) << wrong;
}

}  // namespace
}  // namespace toolway::test
