#include "gateway/calls/call_trace.h"

#include "proto/trace.h"
#include "tests/support/recording_tracer.h"

namespace toolway::gateway::calls {
namespace {

using test::text_of;

class CallTraces : public testing::Test {
 protected:
  CallTraces() {
    call_.set_call_id("0198f000-0000-7000-8000-000000000000");
    call_.set_session_id("chat-1");
    call_.set_session_key("a3f00000000000000000000000000001");
    call_.set_pool("native");
    call_.set_arguments(R"({"password":"hidden"})");
  }
  v1::CallRequest call_;
  test::RecordingTracer tracer_;
};

TEST_F(CallTraces, StandInTheMessageAndBelowTheRequest) {
  auto server = TraceContext::root(true);
  server.state = "vendor=1";
  const CallTrace trace(tracer_, server, call_);
  ASSERT_TRUE(trace.sampled());
  const auto begun = SystemClock().wall();
  const auto span = trace.span(call_, {.place = {proto::Lane::kBulk, 3},
                                       .message_id = "id.0",
                                       .begun = begun,
                                       .ended = begun + std::chrono::milliseconds(2)});
  test::expect_below(span, server);
  EXPECT_EQ(span.name, "send call.native");
  EXPECT_EQ(span.kind, monitoring::SpanKind::kProducer);
  EXPECT_EQ(call_.trace().traceparent(), span.context.traceparent());
  EXPECT_EQ(call_.trace().tracestate(), "vendor=1");
  EXPECT_EQ(text_of(span, "messaging.message.id"), "id.0");
  EXPECT_EQ(text_of(span, "messaging.destination.partition.id"), "bulk.3");
  EXPECT_EQ(text_of(span, "gen_ai.conversation.id"), "chat-1");
  EXPECT_EQ(text_of(span, "toolway.call.id"), call_.call_id());
  for (const auto& attribute : span.attributes) {
    if (const auto* text = std::get_if<std::string>(&attribute.value)) {
      EXPECT_EQ(text->find("hidden"), std::string::npos);
    }
  }
}

TEST_F(CallTraces, AddNothingToACallOfNoTrace) {
  const std::string before = call_.SerializeAsString();
  EXPECT_FALSE(CallTrace(tracer_, {}, call_).sampled());
  EXPECT_EQ(call_.SerializeAsString(), before);
}

TEST_F(CallTraces, PassOnWhatTheClientDoesNotWantSampled) {
  const auto client = TraceContext::root(false);
  EXPECT_FALSE(CallTrace(tracer_, client, call_).sampled());
  EXPECT_EQ(call_.trace().traceparent(), client.traceparent());
}

TEST_F(CallTraces, OfANotedCallLeaveItsMessageAsItIs) {
  const auto first = TraceContext::root(true);
  proto::set_trace(*call_.mutable_trace(), first);
  const std::string before = call_.SerializeAsString();
  const auto again = CallTrace::of_noted(tracer_, call_);
  EXPECT_EQ(call_.SerializeAsString(), before);
  test::expect_below(again.span(call_, {}), first);
}

}  // namespace
}  // namespace toolway::gateway::calls
