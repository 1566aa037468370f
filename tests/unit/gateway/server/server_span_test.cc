#include "gateway/server/server_span.h"

#include "tests/support/recording_tracer.h"

namespace toolway::gateway::server {
namespace {

using test::number_of;
using test::text_of;

wire::Request post(std::string_view target) {
  wire::Request request;
  request.method = "POST";
  request.target = target;
  request.request_id = "r-1";
  return request;
}

bool says(const monitoring::Span& span, std::string_view key) {
  return std::any_of(span.attributes.begin(), span.attributes.end(),
                     [&](const auto& attribute) { return attribute.key == key; });
}

TEST(ServerSpan, FollowsTheHttpConventions) {
  const auto span =
      server_span(post("/v1/sessions/chat-1/calls?token=hidden"), wire::Route::kPostCall, 202);
  EXPECT_EQ(span.name, "POST /v1/sessions/{s}/calls");
  EXPECT_EQ(span.kind, monitoring::SpanKind::kServer);
  EXPECT_EQ(text_of(span, "http.request.method"), "POST");
  EXPECT_EQ(text_of(span, "http.route"), "/v1/sessions/{s}/calls");
  EXPECT_EQ(text_of(span, "url.path"), "/v1/sessions/chat-1/calls");
  EXPECT_EQ(text_of(span, "url.scheme"), "http");
  EXPECT_EQ(number_of(span, "http.response.status_code"), 202);
  EXPECT_EQ(text_of(span, "toolway.request.id"), "r-1");
  EXPECT_EQ(span.error_type, "");
}

TEST(ServerSpan, OnlyWhatTheServerCannotDoIsAnError) {
  const auto request = post("/v1/sessions/s/calls");
  EXPECT_EQ(server_span(request, wire::Route::kPostCall, 422).error_type, "");
  EXPECT_EQ(server_span(request, wire::Route::kPostCall, 503).error_type, "503");
}

TEST(ServerSpan, OfWhatFitsNoRouteSaysLittle) {
  const std::string target = "/" + std::string(300, 'x') + "\xff";
  wire::Request request = post(target);
  request.method = "BREW";
  const auto span = server_span(request, wire::Route::kNone, 404);
  EXPECT_EQ(span.name, "HTTP");
  EXPECT_EQ(text_of(span, "http.request.method"), "_OTHER");
  EXPECT_EQ(text_of(span, "url.path").size(), 256U);
  EXPECT_FALSE(says(span, "http.route"));
  const auto odd = server_span(post("/\xff\x01"
                                    "caf\xe9"),
                               wire::Route::kNone, 404);
  EXPECT_EQ(text_of(odd, "url.path"), "/??caf?");
}

class RequestSpans : public testing::Test {
 protected:
  /// Answers a request that came with `came`; the context that its handlers see.
  TraceContext answer(const TraceContext& came, wire::Route route = wire::Route::kPostCall) {
    wire::Request request = post("/v1/sessions/s/calls");
    request.trace = came;
    const RequestSpan span(tracer_, clock_, request);
    span.answered(request, route, 202);
    return request.trace;
  }
  const SystemClock clock_;
  test::RecordingTracer tracer_;
};

TEST_F(RequestSpans, StandBelowTheClients) {
  const auto client = TraceContext::root(true);
  const auto seen = answer(client);
  ASSERT_EQ(tracer_.spans().size(), 1U);
  test::expect_below(tracer_.spans()[0], client);
  EXPECT_EQ(tracer_.spans()[0].context.traceparent(), seen.traceparent());
}

TEST_F(RequestSpans, BeginATraceWhenTheClientHasNone) {
  EXPECT_TRUE(answer({}).sampled);
  ASSERT_EQ(tracer_.spans().size(), 1U);
  EXPECT_FALSE(tracer_.spans()[0].parent.valid());
}

TEST_F(RequestSpans, AreNotMadeOfWhatIsNotSampledWhichIsPassedOn) {
  const auto client = TraceContext::root(false);
  EXPECT_EQ(answer(client).traceparent(), client.traceparent());
  EXPECT_TRUE(tracer_.spans().empty());
}

TEST_F(RequestSpans, AreNotMadeForProbesAndScrapers) {
  for (const auto route : {wire::Route::kLivez, wire::Route::kReadyz, wire::Route::kMetrics})
    answer({}, route);
  EXPECT_TRUE(tracer_.spans().empty());
}

}  // namespace
}  // namespace toolway::gateway::server
