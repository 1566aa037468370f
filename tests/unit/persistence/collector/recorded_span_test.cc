#include "persistence/collector/recorded_span.h"

#include "base/ids.h"
#include "persistence/reaper/reaper_log.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "proto/trace.h"
#include "tests/support/recording_tracer.h"

namespace toolway::persistence::collector {
namespace {

v1::CallEvent completion(const TraceContext& from) {
  v1::CallEvent event;
  event.set_call_id(CallId::make(SystemClock().wall()).text());
  event.set_session_key(SessionKey::make().text());
  event.mutable_labels()->set_namespace_("sample");
  event.mutable_labels()->set_tool("counts");
  event.set_attempt(1);
  event.set_seq(2);
  event.mutable_completed()->set_outcome(v1::OUTCOME_TIMED_OUT);
  if (from.valid()) proto::set_trace(*event.mutable_trace(), from);
  return event;
}

CompletedCall recorded(const v1::CallEvent& event) {
  const auto payload = proto::encode(event);
  const auto subject = proto::event_subject(*SessionKey::parse(event.session_key()),
                                            *CallId::parse(event.call_id()));
  RowBatch batch;
  const Message message{.source = Source::kEvents,
                        .subject = subject,
                        .payload = payload,
                        .incarnation = 1,
                        .sequence = 7};
  EXPECT_TRUE(batch.add(message, 0));
  return batch.completed().at(0);
}

TEST(RecordedSpan, IsAChildOfWhatTheCompletionWasSentFrom) {
  test::RecordingTracer tracer;
  const auto sent = TraceContext::root(true);
  const auto event = completion(sent);
  const auto begun = SystemClock().wall();
  const auto span =
      recorded_span(tracer, recorded(event), {begun, begun + std::chrono::milliseconds(5), 12});
  test::expect_below(span, sent);
  EXPECT_EQ(span.name, "process EVENTS");
  EXPECT_EQ(span.kind, monitoring::SpanKind::kConsumer);
  EXPECT_EQ(test::text_of(span, "gen_ai.tool.name"), "sample.counts");
  EXPECT_EQ(test::text_of(span, "toolway.call.id"), event.call_id());
  EXPECT_EQ(test::text_of(span, "toolway.outcome"), "timed_out");
  EXPECT_EQ(test::number_of(span, "toolway.batch.messages"), 12);
}

TEST(RecordedSpan, ACompletionOfNoTraceHasNone) {
  EXPECT_FALSE(recorded(completion({})).trace.valid());
  EXPECT_FALSE(recorded(completion(TraceContext::root(false))).trace.sampled);
}

TEST(ReaperLog, CompletesInTheTraceOfTheCall) {
  reaper::ReapFacts facts;
  const auto sent = TraceContext::root(true);
  proto::set_trace(*facts.request.mutable_trace(), sent);
  const auto now = SystemClock().wall();
  EXPECT_EQ(reaper::completion_of(facts, nullptr, {}, now).trace().traceparent(),
            sent.traceparent());
  proto::set_trace(*facts.request.mutable_trace(), TraceContext::root(false));
  EXPECT_FALSE(reaper::completion_of(facts, nullptr, {}, now).has_trace());
}

}  // namespace
}  // namespace toolway::persistence::collector
