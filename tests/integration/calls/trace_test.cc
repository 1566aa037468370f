// One trace from a client's request to the commit of its result, over real NATS and Postgres.
#include "tests/integration/calls/fleet.h"
#include "tests/integration/gateway/http_client.h"
#include "tests/support/recording_tracer.h"

namespace toolway {
namespace {

using test::expect_below;
using test::RecordingTracer;
using test::span_named;
using test::text_of;

class TracedCalls : public test::Fleet {
 protected:
  void trace_all(RecordingTracer::Chance chance = RecordingTracer::Chance::kAlways) {
    tracer_ = std::make_shared<RecordingTracer>(chance);
    for (Face* face : {&first_, &second_}) {
      start(*face, {.port = 0, .tracer = tracer_});
      ASSERT_FALSE(HasFatalFailure());
    }
    collector_ = persistence::collector::start_collector(
        *bus_, *metrics_, {.postgres_url = postgres_->url(), .tracer = tracer_});
    auto worker = workers::pool::start_worker(*bus_, *metrics_, registry_, clock_,
                                              {.slots = 4, .tracer = tracer_});
    ASSERT_TRUE(worker) << worker.error().message;
    worker_ = std::move(*worker);
  }
  cli::client::HttpAnswer post(const Face& face, const cli::client::HttpClient::Headers& headers,
                               const std::string& tool = "counts") {
    return ask(face, "POST", "/v1/sessions/s/calls", R"({"tool":")" + tool + "\"}", headers);
  }
  std::vector<v1::CallRequest> calls_on_bus() {
    std::vector<v1::CallRequest> calls;
    for (std::uint64_t next = 1;;) {
      test::Awaited<Result<bus::StoredMessage>> got;
      bus_->next_message(proto::kCallsStream, "call.>", next, bus::ReadFrom::kLeader,
                         got.callback());
      auto message = got.next();
      if (!message || !*message) return calls;
      next = (*message)->sequence + 1;
      if (auto call = proto::decode_call((*message)->payload)) calls.push_back(*call);
    }
  }
  void expect_recorded(const std::string& id) {
    const auto done = [](const cli::client::HttpAnswer& got) {
      return text(got, "state") == "completed";
    };
    const auto answer = ask_until(first_, "/v1/calls/" + id, done);
    EXPECT_EQ(text(answer, "state"), "completed") << answer.body;
  }
  std::vector<monitoring::Span> all_of(std::string_view name, std::size_t count) {
    auto spans = tracer_->wait_for(name, count);
    std::erase_if(spans, [&](const auto& span) { return span.name != name; });
    return spans;
  }

  std::shared_ptr<RecordingTracer> tracer_;
  const TraceContext client_ = TraceContext::root(true);
};

TEST_F(TracedCalls, AreOneTreeFromTheClientToTheCommit) {
  trace_all();
  const auto answer =
      post(first_, {{"traceparent", client_.traceparent()}, {"tracestate", "vendor=1"}});
  ASSERT_EQ(answer.status, 202) << answer.body;
  const auto spans = tracer_->wait_for("process EVENTS");
  const auto server = span_named(spans, "POST /v1/sessions/{s}/calls");
  const auto send = span_named(spans, "send call.native");
  const auto attempt = span_named(spans, "execute_tool sample.counts");
  const auto completion = span_named(spans, "send EVENTS");
  const auto recorded = span_named(spans, "process EVENTS");
  const auto delivery = span_named(tracer_->wait_for("process call.native"), "process call.native");
  expect_below(server, client_);
  expect_below(send, server.context);
  expect_below(delivery, send.context);
  expect_below(attempt, delivery.context);
  expect_below(completion, attempt.context);
  expect_below(recorded, completion.context);
  const std::string id = text(answer, "call_id");
  for (const auto& span : {send, delivery, attempt, completion, recorded}) {
    EXPECT_EQ(text_of(span, "toolway.call.id"), id) << span.name;
  }
  for (const auto& span : {server, send, delivery, attempt, completion, recorded}) {
    EXPECT_EQ(span.context.state, "vendor=1") << span.name;
    EXPECT_EQ(span.error_type, "") << span.name;
  }
  EXPECT_EQ(recorded.kind, monitoring::SpanKind::kConsumer);
  EXPECT_EQ(text_of(recorded, "toolway.outcome"), "succeeded");
}

TEST_F(TracedCalls, AFailureIsAnErrorOfTheAttemptAlone) {
  trace_all();
  ASSERT_EQ(post(second_, {}, "throws").status, 202);
  const auto spans = tracer_->wait_for("process EVENTS");
  EXPECT_EQ(span_named(spans, "execute_tool sample.throws").error_type, "tool_threw");
  EXPECT_EQ(span_named(spans, "POST /v1/sessions/{s}/calls").error_type, "");
  EXPECT_EQ(text_of(span_named(spans, "process EVENTS"), "toolway.outcome"), "failed");
}

TEST_F(TracedCalls, OfABatchAreSentEachByItself) {
  trace_all();
  const auto answer = ask(first_, "POST", "/v1/sessions/s/calls:batch",
                          R"({"calls":[{"tool":"counts"},{"tool":"counts"}]})",
                          {{"traceparent", client_.traceparent()}});
  ASSERT_EQ(answer.status, 202) << answer.body;
  const auto recorded = all_of("process EVENTS", 2);
  const auto server = span_named(tracer_->spans(), "POST /v1/sessions/{s}/calls:batch");
  const auto sends = all_of("send call.native", 2);
  for (const auto& send : sends) expect_below(send, server.context);
  EXPECT_NE(text_of(sends[0], "toolway.call.id"), text_of(sends[1], "toolway.call.id"));
  for (const auto& span : recorded) EXPECT_EQ(span.context.trace_id, client_.trace_id);
}

TEST_F(TracedCalls, AReplayStartsNothingAndLeavesTheCallInItsFirstTrace) {
  trace_all();
  const std::string key = "idempotency-key";
  const auto answer = post(first_, {{"traceparent", client_.traceparent()}, {key, "k"}});
  ASSERT_EQ(answer.status, 202) << answer.body;
  const auto other = TraceContext::root(true);
  const auto again = post(second_, {{"traceparent", other.traceparent()}, {key, "k"}});
  EXPECT_EQ(text(again, "call_id"), text(answer, "call_id"));
  const auto spans = tracer_->wait_for("process EVENTS");
  EXPECT_EQ(span_named(spans, "process EVENTS").context.trace_id, client_.trace_id);
  EXPECT_EQ(all_of("send call.native", 1).size(), 1U);
  expect_below(all_of("POST /v1/sessions/{s}/calls", 2)[1], other);
}

TEST_F(TracedCalls, ReadHeadersThatStandTwiceAsTheStandardAsks) {
  trace_all(RecordingTracer::Chance::kNever);
  const auto parent = "traceparent: " + TraceContext::root(false).traceparent() + "\r\n";
  const std::string body = R"({"tool":"counts"})";
  const auto send = [&](const std::string& headers) {
    test::RawClient client(first_.gateway->port());
    client.send(fmt::format(
        "POST /v1/sessions/s/calls HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        "content-length: {}\r\n{}\r\n{}",
        body.size(), headers, body));
    EXPECT_TRUE(client.response().starts_with("HTTP/1.1 202 "));
  };
  send(parent + "tracestate: a=1\r\ntracestate: b=2\r\n");
  send(parent + parent);
  const auto calls = calls_on_bus();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].trace().tracestate(), "a=1,b=2");
  EXPECT_FALSE(calls[1].has_trace());
}

TEST_F(TracedCalls, ThatAreNotSampledArePassedOnAndLeaveNoSpan) {
  trace_all(RecordingTracer::Chance::kNever);
  const auto client = TraceContext::root(false);
  const auto answer = post(first_, {{"traceparent", client.traceparent()}});
  expect_recorded(text(answer, "call_id"));
  expect_recorded(text(post(first_, {}), "call_id"));
  expect_recorded(
      text(post(first_, {{"traceparent", "00-rubbish"}, {"tracestate", "a=b"}}), "call_id"));
  const auto calls = calls_on_bus();
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].trace().traceparent(), client.traceparent());
  EXPECT_FALSE(calls[1].has_trace());
  EXPECT_FALSE(calls[2].has_trace());
  for (const auto& event : events_on_bus()) EXPECT_FALSE(event.has_trace());
  EXPECT_TRUE(tracer_->spans().empty());
}

}  // namespace
}  // namespace toolway
