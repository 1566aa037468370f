#include "monitoring/spans.h"

#include "tests/support/recording_tracer.h"

namespace toolway::monitoring {
namespace {

TEST(Spans, BelowNothingNothingBegins) {
  test::RecordingTracer tracer;
  EXPECT_FALSE(start_below(tracer, {}).valid());
}

TEST(Spans, BelowWhatIsNotSampledTheContextIsPassedOn) {
  test::RecordingTracer tracer;
  const auto parent = TraceContext::root(false);
  EXPECT_EQ(start_below(tracer, parent).traceparent(), parent.traceparent());
}

TEST(Spans, BelowWhatIsSampledASpanBegins) {
  test::RecordingTracer tracer;
  const auto parent = TraceContext::root(true);
  const auto below = start_below(tracer, parent);
  EXPECT_TRUE(below.sampled);
  EXPECT_EQ(below.trace_id, parent.trace_id);
  EXPECT_NE(below.span_id, parent.span_id);
}

TEST(Spans, OfMessagesFollowTheMessagingConventions) {
  const auto send = message_span(MessageWork::kSend, "call.native");
  EXPECT_EQ(send.name, "send call.native");
  EXPECT_EQ(send.kind, SpanKind::kProducer);
  EXPECT_EQ(test::text_of(send, "messaging.system"), "nats");
  EXPECT_EQ(test::text_of(send, "messaging.operation.type"), "send");
  EXPECT_EQ(test::text_of(send, "messaging.operation.name"), "send");
  EXPECT_EQ(test::text_of(send, "messaging.destination.name"), "call.native");
  const auto process = message_span(MessageWork::kProcess, "EVENTS");
  EXPECT_EQ(process.name, "process EVENTS");
  EXPECT_EQ(process.kind, SpanKind::kConsumer);
  EXPECT_EQ(test::text_of(process, "messaging.operation.type"), "process");
}

}  // namespace
}  // namespace toolway::monitoring
