#include "gateway/calls/submit.h"

#include <gtest/gtest.h>

#include "monitoring/metric_names.h"
#include "tests/integration/gateway/gateway_fixture.h"
#include "tests/support/recording_tracer.h"
#include "tests/unit/gateway/bus_loop.h"

namespace toolway::gateway::calls {
namespace {

class SubmitTest : public testing::Test {
 protected:
  SubmitTest() {
    EXPECT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    asio::co_spawn(loop_.io(), queues_.run(), asio::detached);
    loop_.run_until([this] { return queues_.facts().queues_of("native") != nullptr; });
    queues_.stop();
    v1::CallRequest& request = call_.request;
    request.set_call_id(id_.text());
    request.set_session_key("a3f00000000000000000000000000001");
    request.set_pool("native");
    request.mutable_labels()->set_namespace_("sample");
    request.mutable_labels()->set_tool("echo");
    call_.trace = CallTrace(tracer_, TraceContext::root(true), request);
  }
  /// Within no time at all: what is published is not published again.
  wire::HttpResult<void> submit_once() {
    const SubmitContext context{.queues = queues_,
                                .waiting = waiting_,
                                .specs = specs_,
                                .bus = loop_.bus(),
                                .accepted_here = accepted_here_,
                                .counters = counters_,
                                .tracer = tracer_,
                                .clock = clock_,
                                .accept_deadline = std::chrono::milliseconds(0)};
    return loop_.run(submit(context, call_));
  }
  double accepted() {
    return metrics_
        ->counter(monitoring::kCallsAccepted,
                  monitoring::CallKey{.tool = "sample.echo", .pool = "native"})
        .value();
  }
  std::string span_error() {
    return test::span_named(tracer_.spans(), "send call.native").error_type;
  }

  const std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  test::LossyBus bus_{*memory_};
  BusLoop loop_{bus_};
  const SystemClock clock_;
  const std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("test");
  test::RecordingTracer tracer_;
  admission::WorkerRoster workers_{bus_, loop_.io_post(), clock_};
  admission::WaitingCounts counts_;
  admission::FleetShares fleet_;
  admission::LimitRefusals refusals_;
  extensions::chain::ChainMetrics chain_metrics_{*metrics_, clock_};
  admission::BusWatch queues_{
      loop_.bus(), clock_, *metrics_, {}, {workers_, fleet_}, loop_.io().get_executor()};
  admission::WaitingLimits waiting_{{.bus = loop_.bus(),
                                     .messenger = bus_,
                                     .io_post = loop_.io_post(),
                                     .clock = clock_,
                                     .queues = queues_,
                                     .counts = counts_,
                                     .fleet = fleet_,
                                     .refusals = refusals_,
                                     .metrics = *metrics_,
                                     .chain_metrics = chain_metrics_,
                                     .executor = loop_.io().get_executor()}};
  catalogue::SpecShelf specs_{loop_.bus(), clock_};
  AcceptedHere accepted_here_;
  CallCounters counters_{*metrics_};
  const CallId id_ = CallId::make(clock_.wall());
  PlannedCall call_;
};

TEST_F(SubmitTest, AStoredCallIsNotedWhereItIsAndCounted) {
  ASSERT_TRUE(submit_once());
  EXPECT_EQ(test::first_call(*memory_).call_id(), id_.text());
  EXPECT_EQ(accepted_here_.find(id_), 1U);
  EXPECT_EQ(accepted(), 1);
  EXPECT_EQ(span_error(), "");
}

TEST_F(SubmitTest, ACallWithoutAnAckIsStoredPerhapsAndNotCounted) {
  bus_.drop_acks = true;
  const auto unknown = submit_once();
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().error.code, ErrorCode::kAcceptUnknown);
  EXPECT_EQ(unknown.error().call_id, id_.text());
  EXPECT_EQ(test::first_call(*memory_).call_id(), id_.text()) << "it was stored";
  EXPECT_EQ(accepted_here_.find(id_), std::nullopt);
  EXPECT_EQ(accepted(), 0);
  EXPECT_EQ(span_error(), "accept_unknown");
}

TEST_F(SubmitTest, WithoutTheBusACallIsRefusedAndCertainlyNotStored) {
  memory_->disconnect();
  const auto refused = submit_once();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.code, ErrorCode::kBusUnavailable);
  EXPECT_EQ(refused.error().call_id, "");
  EXPECT_EQ(accepted_here_.find(id_), std::nullopt);
}

}  // namespace
}  // namespace toolway::gateway::calls
