#include "gateway/calls/ask_services.h"

#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"
#include "monitoring/metric_names.h"
#include "monitoring/metric_registry.h"
#include "proto/approvals.h"
#include "tests/support/test_clock.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::calls {
namespace {

PlannedCall planned() {
  PlannedCall call;
  call.request.set_call_id("c");
  call.request.set_pool("native");
  call.request.set_arguments(R"({"a": 1})");
  call.request.mutable_limits()->set_run_ms(100);
  v1::Admission admission;
  admission.set_arguments_digest("sha256:1");
  call.request.set_admission(admission.SerializeAsString());
  return call;
}

TEST(ObeyAnswer, ChangesLimitsAndPoolButNoArguments) {
  auto call = planned();
  obey_answer({.limits = {.run = std::chrono::milliseconds(50)}, .pool = "slow"}, "rule", call);
  EXPECT_EQ(call.request.limits().run_ms(), 50U);
  EXPECT_EQ(call.request.pool(), "slow");
  EXPECT_EQ(call.request.arguments(), R"({"a": 1})");
  EXPECT_FALSE(call.request.has_hold());
  EXPECT_TRUE(call.approval_digest.empty());
}

TEST(ObeyAnswer, TheFirstThatHoldsSaysHow) {
  auto call = planned();
  obey_answer({.hold = extensions::Hold{.roles = {"boss"}, .quorum = 2}}, "first", call);
  obey_answer({.hold = extensions::Hold{}}, "second", call);
  EXPECT_EQ(call.request.hold().because(), "first");
  EXPECT_EQ(call.request.hold().quorum(), 2U);
  EXPECT_EQ(call.approval_digest, proto::approval_digest(call.request, "sha256:1"));
}

class AskServices : public testing::Test {
 protected:
  wire::HttpResult<void> ask(PlannedCall& call) {
    return loop_.run(ask_services(
        {.desk = nullptr, .threads = threads_, .metrics = chain_, .clock = clock_}, call));
  }
  static extensions::ServiceAsked asked(extensions::OnFailure on_failure) {
    return {.service = std::make_shared<const extensions::Service>(),
            .rule = "money",
            .on_failure = on_failure};
  }
  double failed() {
    return metrics_
        ->counter(monitoring::kExtensionDecisions, {{"extension", "http"}, {"decision", "failed"}})
        .value();
  }
  const std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  BusLoop loop_{*memory_};
  test::StoppedClock clock_;
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_registry("gateway");
  extensions::chain::ChainMetrics chain_{*metrics_, clock_};
  loop::WorkPool threads_{std::make_shared<loop::IoPost>(loop_.io()), clock_, 1};
};

TEST_F(AskServices, NothingIsAskedWhereNoRuleSaysSo) {
  auto call = planned();
  EXPECT_TRUE(ask(call));
  EXPECT_EQ(failed(), 0);
}

TEST_F(AskServices, AProcessThatMayAskNoneLetsTheRuleDecide) {
  auto closed = planned();
  closed.services = {asked(extensions::OnFailure::kClosed)};
  const auto refused = ask(closed);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.code, ErrorCode::kTimeout);
  EXPECT_NE(refused.error().error.message.find("rule money"), std::string::npos);
  EXPECT_TRUE(refused.error().error.retry_after);
  auto open = planned();
  open.services = {asked(extensions::OnFailure::kOpen)};
  EXPECT_TRUE(ask(open));
  EXPECT_EQ(failed(), 2);
}

}  // namespace
}  // namespace toolway::gateway::calls
