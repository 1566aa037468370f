#include "gateway/calls/call_plan.h"

#include <gtest/gtest.h>

#include "tools/model/kinds.h"

namespace toolway::gateway::calls {
namespace {

using std::chrono::milliseconds;

class CallPlan : public testing::Test {
 protected:
  CallPlan() {
    spec_.name = "buy";
    spec_.ns = "shop";
    spec_.pool = "tills";
    spec_.input_schema = Json::parse(
        R"({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})");
    spec_.limits = {.queue = milliseconds(0),
                    .run = milliseconds(1000),
                    .total = milliseconds(0),
                    .heartbeat = milliseconds(500)};
    session_.set_tenant_id("default");
    session_.set_user_id("ann");
    session_.set_session_key("0123456789abcdef0123456789abcdef");
    session_.set_session_id("chat");
    session_.set_state(v1::SessionRecord::STATE_OPEN);
    body_.tool = "shop.buy";
    body_.arguments = {{"n", 1}};
    body_.arguments_text = R"({"n": 1})";
    body_.tool_call_id = "model-1";
  }
  wire::HttpResult<PlannedCall> plan() {
    const auto registry = *tools::model::Registry::of(
        {*tools::model::register_tool(tools::model::declared_tool(spec_))});
    const CallContext context{.registry = *registry,
                              .switches = switches_,
                              .session = session_,
                              .namespaces = namespaces_,
                              .caller = caller_,
                              .grants = grants_};
    return plan_call(context, body_, id_, from_unix_us(42));
  }
  ErrorCode refusal() {
    const auto planned = plan();
    return planned ? ErrorCode::kInternal : planned.error().error.code;
  }

  tools::model::Spec spec_;
  v1::SessionRecord session_;
  proto::Switches switches_;
  std::vector<std::string> namespaces_{"shop"};
  const wire::Caller caller_{.user_id = "bob", .method = "header"};
  extensions::GrantsPtr grants_;
  CallBody body_;
  const CallId id_ = CallId::make({});
};

TEST_F(CallPlan, SaysWhoseCallItIsAndWhereItGoes) {
  const auto planned = plan();
  ASSERT_TRUE(planned);
  const v1::CallRequest& request = planned->request;
  EXPECT_EQ(request.call_id(), id_.text());
  EXPECT_EQ(request.tenant_id(), "default");
  EXPECT_EQ(request.user_id(), "ann") << "the session's";
  EXPECT_EQ(request.principal().user_id(), "bob") << "who asked";
  EXPECT_EQ(request.principal().method(), "header");
  EXPECT_EQ(request.session_key(), session_.session_key());
  EXPECT_EQ(request.session_id(), "chat");
  EXPECT_EQ(request.pool(), "tills");
  EXPECT_EQ(request.spec_digest(), planned->tool->digest);
  EXPECT_EQ(request.arguments(), R"({"n": 1})") << "byte for byte";
  EXPECT_EQ(request.submitted_at_us(), 42);
  EXPECT_EQ(request.labels().namespace_(), "shop");
  EXPECT_EQ(request.labels().tool(), "buy");
  EXPECT_EQ(request.labels().tool_call_id(), "model-1");
}

TEST_F(CallPlan, TheTopicIsTheCallsOrTheToolsOrItsName) {
  EXPECT_EQ(plan()->request.labels().topic(), "buy");
  spec_.topic = "Buying";
  EXPECT_EQ(plan()->request.labels().topic(), "Buying");
  body_.topic = "Mine";
  EXPECT_EQ(plan()->request.labels().topic(), "Mine");
}

TEST_F(CallPlan, ACallMayLowerALimitAndNeverRaiseIt) {
  body_.limits = {
      .queue = milliseconds(7), .run = milliseconds(999), .heartbeat = milliseconds(500)};
  const auto planned = plan();
  ASSERT_TRUE(planned);
  EXPECT_EQ(planned->request.limits().queue_ms(), 7U) << "the spec has none";
  EXPECT_EQ(planned->request.limits().run_ms(), 999U);
  EXPECT_EQ(planned->request.limits().total_ms(), 0U);
  EXPECT_EQ(planned->request.limits().heartbeat_ms(), 500U);
  body_.limits.run = milliseconds(1001);
  body_.limits.heartbeat = milliseconds(501);
  const auto refused = plan();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.code, ErrorCode::kInvalidRequest);
  ASSERT_EQ(refused.error().errors.size(), 2U) << "all of them at once";
  EXPECT_EQ(refused.error().errors[0].place, "/limits/run_ms");
  EXPECT_EQ(refused.error().errors[1].place, "/limits/heartbeat_ms");
}

TEST_F(CallPlan, ArgumentsMustFitTheSchema) {
  body_.arguments = {{"n", "one"}};
  const auto refused = plan();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.code, ErrorCode::kInvalidArguments);
  ASSERT_EQ(refused.error().errors.size(), 1U);
  EXPECT_EQ(refused.error().errors[0].place, "/n");
}

TEST_F(CallPlan, AToolThatIsOffOrUnknownAndAClosedSessionTakeNoCalls) {
  body_.tool = "shop.bui";
  const auto unknown = plan();
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().error.code, ErrorCode::kUnknownTool);
  EXPECT_EQ(unknown.error().suggestions, std::vector<std::string>{"shop.buy"});
  body_.tool = "bui";
  EXPECT_EQ(plan().error().suggestions, std::vector<std::string>{"shop.buy"}) << "bare names too";
  body_.tool = "shop.buy";
  namespaces_ = {"other"};
  EXPECT_EQ(refusal(), ErrorCode::kUnknownTool);
  namespaces_ = {"shop"};
  switches_.take("shop.buy", proto::encode(proto::Switch{.reason = "being repaired"}));
  const auto off = plan();
  ASSERT_FALSE(off);
  EXPECT_EQ(off.error().error.code, ErrorCode::kToolDisabled);
  EXPECT_NE(off.error().error.message.find("being repaired"), std::string::npos);
  session_.set_state(v1::SessionRecord::STATE_CLOSED);
  EXPECT_EQ(refusal(), ErrorCode::kSessionClosed) << "that comes first";
}

/// Two tools of one name, of which the caller may call one.
class GrantedCalls : public testing::Test {
 protected:
  static tools::model::RegisteredToolPtr tool(const char* ns, const char* name) {
    tools::model::Spec spec;
    spec.ns = ns;
    spec.name = name;
    spec.input_schema = {{"type", "object"}};
    return *tools::model::register_tool(tools::model::declared_tool(spec));
  }
  static extensions::GrantsPtr granted(const char* permission) {
    extensions::Policy policy;
    policy.roles.emplace()["r"] = {permission};
    policy.default_roles = {"r"};
    return extensions::grants_of(std::make_shared<const extensions::Policy>(policy), {});
  }
  wire::HttpResult<tools::model::RegisteredToolPtr> find(std::string_view asked) {
    const CallContext context{.registry = *registry_,
                              .switches = switches_,
                              .session = session_,
                              .namespaces = namespaces_,
                              .caller = caller_,
                              .grants = grants_};
    return find_tool(context, asked);
  }
  std::string code(std::string_view asked) {
    const auto found = find(asked);
    return found ? (*found)->spec().qualified_name()
                 : std::string(code_name(found.error().error.code));
  }

  const std::shared_ptr<const tools::model::Registry> registry_ = *tools::model::Registry::of(
      {tool("a", "get"), tool("b", "get"), tool("b", "put"), tool("c", "cut")});
  const proto::Switches switches_;
  v1::SessionRecord session_;
  std::vector<std::string> namespaces_{"a", "b"};
  const wire::Caller caller_;
  extensions::GrantsPtr grants_ = granted("call:a.*");
};

TEST_F(GrantedCalls, WhatIsNotGrantedIsDeniedWhereTheSessionHasItsNamespace) {
  EXPECT_EQ(code("a.get"), "a.get");
  EXPECT_EQ(code("b.get"), "permission_denied");
  EXPECT_EQ(code("put"), "permission_denied");
  EXPECT_EQ(code("c.cut"), "unknown_tool");
  EXPECT_EQ(code("cut"), "unknown_tool");
  EXPECT_EQ(find("c.cut").error().error.message.find("the fleet has"), std::string::npos);
}

TEST_F(GrantedCalls, ABareNameMeansTheGrantedOne) {
  EXPECT_EQ(code("get"), "a.get") << "b.get is not there for this caller";
  grants_ = granted("call:c.*");
  EXPECT_EQ(code("get"), "permission_denied");
  grants_ = nullptr;
  EXPECT_EQ(code("get"), "ambiguous_tool");
  grants_ = granted("*");
  EXPECT_EQ(code("get"), "ambiguous_tool");
}

TEST_F(GrantedCalls, NoSuggestionNamesWhatIsNotGranted) {
  const auto unknown = find("b.gett");
  EXPECT_EQ(unknown.error().suggestions, std::vector<std::string>{"a.get"});
  EXPECT_EQ(unknown.error().error.message.find("b.get'"), std::string::npos)
      << unknown.error().error.message;
  EXPECT_TRUE(find("b.putt").error().suggestions.empty());
}

}  // namespace
}  // namespace toolway::gateway::calls
