#include "extensions/chain/judge.h"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>
#include <stdexcept>

#include "extensions/chain/effective.h"
#include "extensions/extension.h"
#include "monitoring/metric_names.h"
#include "monitoring/metric_registry.h"
#include "tests/support/test_clock.h"
#include "tests/unit/extensions/policies.h"
#include "tools/model/kinds.h"

namespace toolway::extensions::chain {
namespace {

using tools::model::Execution;

/// Writes down when it is asked; does what its test says.
class Told final : public Extension {
 public:
  Told(std::string name, std::vector<std::string>& log, std::function<Decision()> decide = {})
      : name_(std::move(name)), log_(log), decide_(std::move(decide)) {}
  Decision before(const Facts&) const override {
    log_.push_back("before " + name_);
    return decide_ ? decide_() : Decision{};
  }
  Execution after(const Facts&, Execution result) const override {
    log_.push_back("after " + name_);
    if (decide_) (void)decide_();
    (*result)["by"].push_back(name_);
    return result;
  }

 private:
  const std::string name_;
  std::vector<std::string>& log_;
  const std::function<Decision()> decide_;
};

Decision fails() { throw std::runtime_error("of a test"); }

class ChainTest : public testing::Test {
 protected:
  Chain::Link link(std::string_view name, std::function<Decision()> decide = {},
                   OnFailure on_failure = OnFailure::kClosed) {
    return {.name = name,
            .on_failure = on_failure,
            .extension = std::make_shared<const Told>(std::string(name), log_, std::move(decide))};
  }
  Verdict before(std::vector<Chain::Link> links) {
    auto verdict = Chain(std::move(links)).before({caller_, spec_, {}}, metrics_);
    count(verdict, metrics_);
    return verdict;
  }
  Execution after(std::vector<Chain::Link> links) {
    return Chain(std::move(links)).after({caller_, spec_, {}}, Json::object(), metrics_);
  }
  double counted(std::string_view name, std::string_view decision) {
    return registry_
        ->counter(monitoring::kExtensionDecisions, {{"extension", name}, {"decision", decision}})
        .value();
  }

  std::vector<std::string> log_;
  const Principal caller_ = test::user("ann");
  const tools::model::Spec spec_ = test::spec("shop", "buy");
  std::unique_ptr<monitoring::Metrics> registry_ = monitoring::make_registry("gateway");
  toolway::test::StoppedClock clock_;
  ChainMetrics metrics_{*registry_, clock_};
};

using Lines = std::vector<std::string>;

TEST_F(ChainTest, AsksInItsOrderAndBackwardsAfterwards) {
  EXPECT_FALSE(before({link("permissions"), link("refuse"), link("redact")}).refusal);
  EXPECT_EQ(log_, (Lines{"before permissions", "before refuse", "before redact"}));
  log_.clear();
  const auto result = after({link("permissions"), link("refuse"), link("redact")});
  EXPECT_EQ(log_, (Lines{"after redact", "after refuse", "after permissions"}));
  EXPECT_EQ((*result)["by"], Json({"redact", "refuse", "permissions"}))
      << "each gets the last one's";
}

TEST_F(ChainTest, TheFirstThatRefusesDecides) {
  const auto no = [] {
    return Decision{.refusal = Error{ErrorCode::kToolDisabled, "no"}, .because = "rule_1"};
  };
  const auto yes = [] { return Decision{.because = "roles"}; };
  const auto verdict = before({link("permissions", yes), link("refuse", no), link("redact")});
  ASSERT_TRUE(verdict.refusal);
  EXPECT_EQ(verdict.refusal->code, ErrorCode::kToolDisabled);
  EXPECT_EQ(log_, (Lines{"before permissions", "before refuse"}));
  ASSERT_EQ(verdict.said.size(), 2U);
  EXPECT_EQ(verdict.said[1].because, "rule_1");
  EXPECT_EQ(counted("permissions", "allow"), 1);
  EXPECT_EQ(counted("refuse", "refuse"), 1);
  EXPECT_EQ(counted("redact", "allow"), 0);
}

TEST_F(ChainTest, OneThatFailsRefusesOrIsLeftOut) {
  const auto closed = before({link("refuse", fails), link("redact")});
  ASSERT_TRUE(closed.refusal);
  EXPECT_EQ(closed.refusal->code, ErrorCode::kInternal);
  EXPECT_EQ(log_, Lines{"before refuse"});
  EXPECT_FALSE(before({link("refuse", fails, OnFailure::kOpen), link("redact")}).refusal);
  EXPECT_EQ(log_.back(), "before redact");
  EXPECT_EQ(counted("refuse", "failed"), 2);
  EXPECT_FALSE(after({link("redact", fails)}));
  const auto open = after({link("refuse"), link("redact", fails, OnFailure::kOpen)});
  ASSERT_TRUE(open);
  EXPECT_EQ((*open)["by"], Json({"refuse"})) << "nothing of the failed one";
}

TEST_F(ChainTest, OneThatKeepsFailingIsLoggedOnceAMinute) {
  std::ostringstream log;
  auto usual = spdlog::default_logger();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "captured", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
  const auto lines = [&](std::string_view extension) {
    const auto text = log.str();
    const auto begin = fmt::format("extension {} failed: ", extension);
    std::size_t count = 0;
    for (auto at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1))
      ++count;
    return count;
  };
  for (int i = 0; i < 100; ++i) before({link("refuse", fails)});
  EXPECT_EQ(lines("refuse"), 1U) << log.str();
  EXPECT_NE(log.str().find("; calls are refused"), std::string::npos) << log.str();
  clock_.advance(std::chrono::seconds(59));
  before({link("refuse", fails), link("redact")});
  EXPECT_EQ(lines("refuse"), 1U) << log.str();
  before({link("redact", fails, OnFailure::kOpen)});
  EXPECT_EQ(lines("redact"), 1U) << "each has its own minute";
  clock_.advance(std::chrono::seconds(1));
  before({link("refuse", fails)});
  EXPECT_EQ(lines("refuse"), 2U) << log.str();
  EXPECT_EQ(counted("refuse", "failed"), 102);
  spdlog::set_default_logger(std::move(usual));
}

TEST_F(ChainTest, OneThatTakesTooLongRefusesOrIsLeftOut) {
  const auto slow = [this] {
    clock_.advance(std::chrono::milliseconds(51));
    return Decision{.refusal = Error{ErrorCode::kToolDisabled, "too late"}, .because = "rule_1"};
  };
  const auto limited = [&](OnFailure on_failure) {
    auto one = link("refuse", slow, on_failure);
    one.time_limit = std::chrono::milliseconds(50);
    return one;
  };
  const auto closed = before({limited(OnFailure::kClosed), link("redact")});
  ASSERT_TRUE(closed.refusal);
  EXPECT_EQ(closed.refusal->code, ErrorCode::kInternal) << "not what it said too late";
  EXPECT_EQ(log_, Lines{"before refuse"});
  const auto open = before({limited(OnFailure::kOpen), link("redact")});
  EXPECT_FALSE(open.refusal);
  EXPECT_TRUE(open.said.empty());
  EXPECT_EQ(log_.back(), "before redact");
  EXPECT_EQ(counted("refuse", "failed"), 2);
  EXPECT_EQ(counted("refuse", "refuse"), 0);
  EXPECT_FALSE(after({limited(OnFailure::kClosed)}));
  const auto left_out = after({link("permissions"), limited(OnFailure::kOpen)});
  ASSERT_TRUE(left_out);
  EXPECT_EQ((*left_out)["by"], Json({"permissions"})) << "nothing of the late one";
}

TEST_F(ChainTest, HowLongOneMayTakeIsThePolicysToSay) {
  const auto chain =
      Chain::of(test::policy("extensions: {approval: {timeout_ms: 7}}"), extension_types());
  for (const auto& one : chain.links())
    EXPECT_EQ(one.time_limit, one.name == "approval" ? std::chrono::milliseconds(7) : kUsualTime);
}

TEST_F(ChainTest, IsMadeByPriorityAndOfWhatAPolicyAsksFor) {
  const auto chain = Chain::of(test::policy(R"(
rules: [{name: a, redact: [/x]}, {name: b, refuse: no}]
extensions: {refuse: {on_failure: open}}
)"),
                               extension_types());
  std::vector<std::string_view> names;
  for (const auto& one : chain.links()) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"permissions", "refuse", "approval", "redact"}));
  EXPECT_EQ(chain.links()[0].on_failure, OnFailure::kClosed);
  EXPECT_EQ(chain.links()[1].on_failure, OnFailure::kOpen);
  EXPECT_EQ(Chain::of(test::policy(""), extension_types()).links().size(), 2U)
      << "permissions, and approval, for which a spec alone may ask";
}

class JudgeTest : public ChainTest {
 protected:
  PolicyInForcePtr in_force(const char* text) {
    auto policy = test::policy(text);
    auto chain = Chain::of(policy, extension_types());
    return std::make_shared<const PolicyInForce>(PolicyInForce{policy, std::move(chain), 1});
  }
  std::optional<Error> refusal(const char* policy, const char* arguments,
                               const std::vector<std::string>& roles = {}) {
    const auto made = in_force(policy);
    const auto json = *parse_json(arguments);
    const auto caller = test::user("ann", roles);
    const auto tool = test::registered(spec_);
    return judge({.in_force = *made, .caller = caller, .tool = tool, .arguments = &json}, metrics_)
        ->refusal;
  }
  JudgedResult result(const char* policy, const char* value, const char* output_schema = nullptr) {
    const auto made = in_force(policy);
    const Json arguments = Json::object();
    tools::model::Spec spec = spec_;
    spec.input_schema = {{"type", "object"}};
    if (output_schema != nullptr) spec.output_schema = *parse_ordered_json(output_schema);
    const auto tool = *tools::model::register_tool(tools::model::declared_tool(spec));
    return judge_result(
        {.in_force = *made, .caller = caller_, .tool = *tool, .arguments = &arguments},
        *parse_json(value), metrics_);
  }
};

TEST_F(JudgeTest, TheFirstRuleThatRefusesOrAllowsDecides) {
  constexpr const char* kPolicy = R"(
rules:
  - {name: friends, roles: friend, allow: true}
  - {name: etc, when: {pointers: {/path: /etc}}, refuse: {message: not there, code: tool_disabled, retry_after_s: 60}}
  - {name: rest, when: {pointers: {/path: /}}, refuse: neither}
)";
  const auto refused = refusal(kPolicy, R"({"path": "/etc"})");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ErrorCode::kToolDisabled);
  EXPECT_EQ(refused->message, "not there");
  EXPECT_EQ(refused->retry_after, std::chrono::seconds(60));
  EXPECT_EQ(refusal(kPolicy, R"({"path": "/"})")->code, ErrorCode::kPermissionDenied);
  EXPECT_FALSE(refusal(kPolicy, R"({"path": "/home"})"));
  EXPECT_FALSE(refusal(kPolicy, R"({"path": "/etc"})", {"friend"}));
}

TEST_F(JudgeTest, RolesComeBeforeRules) {
  const auto refused = refusal(
      "roles: {r: {permissions: ['call:web.*']}}\nrules: [{name: a, allow: true}]", "{}", {"r"});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, ErrorCode::kPermissionDenied);
  EXPECT_NE(refused->message.find("call:shop.buy"), std::string::npos) << refused->message;
}

TEST_F(JudgeTest, HidesPartsOfResults) {
  constexpr const char* kPolicy =
      "rules: [{name: a, redact: [/token, /users/*/email, /none/0]}, {name: b, tools: 'web.*', redact: ['']}]";
  const auto made =
      result(kPolicy, R"({"token": 5, "users": [{"email": "a"}, {"n": 1}], "none": 7})");
  EXPECT_TRUE(made.changed);
  EXPECT_EQ(*made.result,
            *parse_json(
                R"({"token": "[secret]", "users": [{"email": "[secret]"}, {"n": 1}], "none": 7})"));
  EXPECT_FALSE(result(kPolicy, R"({"n": 1})").changed);
  EXPECT_EQ(*result("rules: [{name: a, redact: ['']}]", "[1]").result, Json("[secret]"));
}

TEST_F(JudgeTest, AResultThatNoLongerFitsItsSchemaIsNotShown) {
  constexpr const char* kSchema = R"({"properties": {"token": {"type": "integer"}}})";
  const auto broken = result("rules: [{name: a, redact: [/token]}]", R"({"token": 5})", kSchema);
  ASSERT_FALSE(broken.result);
  EXPECT_EQ(broken.result.error().code, "invalid_result");
  EXPECT_TRUE(result("rules: [{name: a, redact: [/other]}]", R"({"token": 5})", kSchema).result);
}

TEST_F(JudgeTest, ErrorsDetailsAreHiddenToo) {
  const auto made = in_force("rules: [{name: a, redact: [/token]}]");
  const Json arguments = Json::object();
  auto spec = spec_;
  spec.input_schema = {{"type", "object"}};
  const auto tool = *tools::model::register_tool(tools::model::declared_tool(spec));
  tools::model::ToolError error("mine", "failed");
  error.details = {{"token", "x"}};
  const auto judged =
      judge_result({.in_force = *made, .caller = caller_, .tool = *tool, .arguments = &arguments},
                   tl::unexpected(error), metrics_);
  ASSERT_FALSE(judged.result);
  EXPECT_EQ(judged.result.error().details["token"], "[secret]");
}

TEST_F(JudgeTest, ShowSaysWhichRuleSaysSo) {
  const auto policy = test::policy(R"(
roles: {agent: {permissions: ["call:shop.*"]}}
default_roles: agent
rules:
  - {name: money, when: {pointers: {/n: 5}}, refuse: too dear}
  - {name: web, tools: "web.*", refuse: no}
  - {name: hide, redact: [/card]}
)");
  const auto found = effects(policy, spec_, test::user("ann"));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].extension, "permissions");
  EXPECT_EQ(found[0].says, "allows: granted to agent");
  EXPECT_EQ(found[1].rule, "money");
  EXPECT_EQ(found[1].line, 5);
  EXPECT_EQ(found[1].says, "refuses: too dear (when the arguments are as it says)");
  EXPECT_EQ(found[2].rule, "hide");
  EXPECT_EQ(found[2].says, "hides /card of the result");
  EXPECT_TRUE(effects(policy, test::spec("web", "get"), test::user("ann"))[0].says.starts_with(
      "refuses: "));
  auto limited = test::user("ann");
  limited.tenant_id = "acme";
  const auto says = [&](const char* tenants) {
    return effects(test::policy(tenants), spec_, limited)[0].says;
  };
  EXPECT_EQ(says("tenants: {acme: {namespaces: shop}}"),
            "allows: tenant acme may open shop, and no roles are in force");
  EXPECT_EQ(says("tenants: {acme: {namespaces: web}}"),
            "refuses: you may not call shop.buy: your tenant may not open namespace shop");
  EXPECT_EQ(effects(test::policy(""), spec_, test::user("ann"))[0].says,
            "allows: no roles are in force");
  auto keyed = test::user("ann");
  keyed.namespaces = {"web"};
  EXPECT_EQ(effects(policy, spec_, keyed)[0].says,
            "refuses: you may not call shop.buy: your key or token is limited to other namespaces; "
            "use another credential");
}

}  // namespace
}  // namespace toolway::extensions::chain
