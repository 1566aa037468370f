#include "proto/trace.h"
#include "tests/support/recording_tracer.h"
#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

using std::chrono::milliseconds;
using toolway::test::expect_below;
using toolway::test::number_of;
using toolway::test::RecordingTracer;
using toolway::test::span_named;
using toolway::test::text_of;

class CallWorkerTrace : public test::WorkerBench {
 protected:
  std::unique_ptr<CallWorker> traced_worker(
      const std::shared_ptr<const tools::model::Registry>& registry) {
    return worker(registry, {.worker_id = "w1", .tracer = tracer_});
  }
  v1::CallRequest traced(const TraceContext& from) {
    auto request = call();
    request.set_session_id("chat-1");
    request.mutable_labels()->set_tool_call_id("toolu_1");
    proto::set_trace(*request.mutable_trace(), from);
    return request;
  }
  std::vector<monitoring::Span> all_of(std::string_view name, std::size_t count = 1) {
    auto spans = tracer_->wait_for(name, count);
    std::erase_if(spans, [&](const auto& span) { return span.name != name; });
    return spans;
  }
  const std::shared_ptr<RecordingTracer> tracer_ = std::make_shared<RecordingTracer>();
  const TraceContext sent_ = TraceContext::root(true);
};

TEST_F(CallWorkerTrace, ShowsDeliveryAttemptAndPublication) {
  std::string seen;
  auto worker = traced_worker(test::registry_of(
      {}, [&](const Json&, tools::model::ToolContext& context, tools::model::Progress&) {
        seen = context.trace().traceparent();
        return tools::model::Execution(Json(1));
      }));
  const auto request = traced(sent_);
  submit(request);
  const auto end = completed();
  const auto spans = tracer_->wait_for("process call.native");
  ASSERT_EQ(spans.size(), 3U);
  const auto delivery = span_named(spans, "process call.native");
  const auto attempt = span_named(spans, "execute_tool test.tool");
  const auto publication = span_named(spans, "send EVENTS");
  expect_below(delivery, sent_);
  expect_below(attempt, delivery.context);
  expect_below(publication, attempt.context);
  EXPECT_EQ(delivery.kind, monitoring::SpanKind::kConsumer);
  EXPECT_EQ(attempt.kind, monitoring::SpanKind::kInternal);
  EXPECT_EQ(publication.kind, monitoring::SpanKind::kProducer);
  EXPECT_EQ(seen, attempt.context.traceparent());
  EXPECT_EQ(end.trace().traceparent(), publication.context.traceparent());

  EXPECT_EQ(text_of(delivery, "messaging.message.id"), request.call_id() + ".0");
  EXPECT_EQ(text_of(attempt, "gen_ai.operation.name"), "execute_tool");
  EXPECT_EQ(text_of(attempt, "gen_ai.tool.name"), "test.tool");
  EXPECT_EQ(text_of(attempt, "gen_ai.tool.type"), "function");
  EXPECT_EQ(text_of(attempt, "gen_ai.tool.call.id"), "toolu_1");
  EXPECT_EQ(text_of(attempt, "gen_ai.conversation.id"), "chat-1");
  EXPECT_EQ(text_of(attempt, "toolway.call.id"), request.call_id());
  EXPECT_EQ(text_of(attempt, "toolway.tool.kind"), "native");
  EXPECT_EQ(text_of(attempt, "toolway.worker.id"), "w1");
  EXPECT_EQ(text_of(attempt, "toolway.outcome"), "succeeded");
  EXPECT_EQ(number_of(attempt, "toolway.attempt"), 1);
  EXPECT_EQ(attempt.error_type, "");
}

TEST_F(CallWorkerTrace, StartedComesFromTheAttempt) {
  auto worker = traced_worker(test::registry_of({.idempotent = false}, test::returns(1)));
  submit(traced(sent_));
  const auto started = event();
  ASSERT_TRUE(started.has_started());
  const auto attempt =
      span_named(tracer_->wait_for("process call.native"), "execute_tool test.tool");
  EXPECT_EQ(started.trace().traceparent(), attempt.context.traceparent());
}

TEST_F(CallWorkerTrace, EachAttemptIsASpanWithItsError) {
  const tools::model::RetryPolicy twice{.max_attempts = 2,
                                        .initial_delay = milliseconds(0),
                                        .factor = 1,
                                        .max_delay = milliseconds(0)};
  const test::Body busy_once = [](const Json&, tools::model::ToolContext& context,
                                  tools::model::Progress&) {
    return context.attempt() == 1 ? test::failure("busy") : tools::model::Execution(Json(1));
  };
  auto worker = traced_worker(test::registry_of({.retry = twice}, busy_once));
  submit(traced(sent_));
  EXPECT_EQ(completed().attempt(), 2U);
  const auto deliveries = all_of("process call.native", 2);
  const auto attempts = all_of("execute_tool test.tool", 2);
  ASSERT_EQ(attempts.size(), 2U);
  for (const auto& delivery : deliveries) expect_below(delivery, sent_);
  expect_below(attempts[0], deliveries[0].context);
  expect_below(attempts[1], deliveries[1].context);
  EXPECT_EQ(attempts[0].error_type, "busy");
  EXPECT_EQ(text_of(attempts[0], "toolway.outcome"), "failed");
  EXPECT_EQ(number_of(attempts[1], "toolway.attempt"), 2);
  EXPECT_EQ(attempts[1].error_type, "");
  EXPECT_EQ(all_of("send EVENTS").size(), 1U);
}

TEST_F(CallWorkerTrace, WhatAToolCallsItsErrorIsAWordOrOther) {
  auto worker = traced_worker(
      test::registry_of({}, [](const Json&, tools::model::ToolContext&, tools::model::Progress&) {
        return test::failure("no user ann@example.org", false);
      }));
  submit(traced(sent_));
  completed();
  EXPECT_EQ(all_of("execute_tool test.tool")[0].error_type, "_OTHER");
}

TEST_F(CallWorkerTrace, ACallThatIsNeverStartedHasNoAttempt) {
  auto worker = traced_worker(test::registry_of({}, test::returns(1)));
  auto request = traced(sent_);
  request.mutable_labels()->set_tool("unheard_of");
  submit(request);
  const auto end = completed();
  const auto spans = tracer_->wait_for("process call.native");
  ASSERT_EQ(spans.size(), 2U);
  const auto publication = span_named(spans, "send EVENTS");
  expect_below(publication, span_named(spans, "process call.native").context);
  EXPECT_EQ(end.trace().traceparent(), publication.context.traceparent());
}

TEST_F(CallWorkerTrace, AnAttemptThatIsGivenBackSaysSo) {
  const test::Signal running;
  auto worker = traced_worker(test::registry_of({}, test::obeys(running)));
  submit(traced(sent_));
  ASSERT_TRUE(running.wait());
  auto drained = std::async(std::launch::async, [&] { worker->drain(); });
  while (drained.wait_for(milliseconds(0)) != std::future_status::ready)
    pass(*worker, std::chrono::seconds(1));
  drained.get();
  EXPECT_EQ(all_of("execute_tool test.tool")[0].error_type, "given_back");
}

TEST_F(CallWorkerTrace, WithoutATraceNothingIsAddedAndNoSpanBegins) {
  std::string seen = "not run";
  auto worker = traced_worker(test::registry_of(
      {}, [&](const Json&, tools::model::ToolContext& context, tools::model::Progress&) {
        seen = context.trace().traceparent();
        return tools::model::Execution(Json(1));
      }));
  submit(call());
  EXPECT_FALSE(completed().has_trace());
  expect_all_acked();
  EXPECT_EQ(seen, "");
  EXPECT_TRUE(tracer_->spans().empty());
}

TEST_F(CallWorkerTrace, WhatIsNotSampledIsPassedOnToTheToolAndNoFurther) {
  auto client = TraceContext::root(false);
  client.state = "vendor=1";
  std::string seen;
  std::string state;
  auto worker = traced_worker(test::registry_of(
      {}, [&](const Json&, tools::model::ToolContext& context, tools::model::Progress&) {
        seen = context.trace().traceparent();
        state = context.trace().state;
        return tools::model::Execution(Json(1));
      }));
  submit(traced(client));
  EXPECT_FALSE(completed().has_trace());
  expect_all_acked();
  EXPECT_EQ(seen, client.traceparent());
  EXPECT_EQ(state, "vendor=1");
  EXPECT_TRUE(tracer_->spans().empty());
}

TEST_F(CallWorkerTrace, ATraceThatCannotBeReadIsNone) {
  auto worker = traced_worker(test::registry_of({}, test::returns(1)));
  auto request = call();
  request.mutable_trace()->set_traceparent("00-rubbish");
  submit(request);
  EXPECT_FALSE(completed().has_trace());
  expect_all_acked();
  EXPECT_TRUE(tracer_->spans().empty());
}

TEST_F(CallWorkerTrace, ATakeoverContinuesInTheSameTrace) {
  const auto request = traced(sent_);
  v1::CallEvent event;
  event.set_attempt(1);
  event.mutable_started();
  append(request, event);
  auto worker = traced_worker(test::registry_of({}, test::returns(1)));
  auto again = request;
  again.set_publication(1);
  clock_.advance(std::chrono::seconds(60));
  submit(again);
  EXPECT_EQ(completed().attempt(), 2U);
  const auto spans = tracer_->wait_for("process call.native");
  expect_below(span_named(spans, "process call.native"), sent_);
  EXPECT_EQ(number_of(span_named(spans, "execute_tool test.tool"), "toolway.attempt"), 2);
}

}  // namespace
}  // namespace toolway::workers::pool
