#include "gateway/mcp/rpc_span.h"

#include <gtest/gtest.h>

#include "tests/support/recording_tracer.h"

namespace toolway::gateway::mcp {
namespace {

constexpr auto kRevision = toolway::mcp::Revision::k2026_07_28;

class RpcSpanTest : public testing::Test {
 protected:
  RpcSpanTest() { request_.request_id = "r"; }
  static RpcRequest call(Json meta, std::string method = "tools/call", std::string tool = "greet") {
    return {.request = {.id = std::string("1"),
                        .method = std::move(method),
                        .params = {{"name", std::move(tool)}, {"_meta", std::move(meta)}}}};
  }
  static Json meta_of(const TraceContext& trace) { return {{"traceparent", trace.traceparent()}}; }
  /// What the call is begun with.
  TraceContext answer(const RpcRequest& request,
                      const wire::HttpResult<wire::Response>& response = wire::Response()) {
    const wire::RoutedRequest routed{.request = request_, .target = target_, .caller = caller_};
    RpcSpan span(tracer_, clock_, routed, request);
    auto seen = span.routed().request.trace;
    EXPECT_EQ(span.routed().request.request_id, "r");
    span.answered(kRevision, response);
    return seen;
  }

  const SystemClock clock_;
  test::RecordingTracer tracer_;
  wire::Request request_;
  const wire::Target target_;
  const wire::Caller caller_;
};

TEST_F(RpcSpanTest, IsBelowWhatTheClientSaysAndLinksToTheRequest) {
  request_.trace = TraceContext::root(true);
  const auto client = TraceContext::root(true);
  const auto seen = answer(call(meta_of(client)));
  ASSERT_EQ(tracer_.spans().size(), 1U);
  const auto span = tracer_.spans().front();
  test::expect_below(span, client);
  EXPECT_EQ(span.link.traceparent(), request_.trace.traceparent());
  EXPECT_EQ(span.context.traceparent(), seen.traceparent()) << "the call is below it";
  EXPECT_EQ(span.name, "tools/call greet");
  EXPECT_EQ(span.kind, monitoring::SpanKind::kServer);
  EXPECT_EQ(test::text_of(span, "mcp.method.name"), "tools/call");
  EXPECT_EQ(test::text_of(span, "mcp.protocol.version"), "2026-07-28");
  EXPECT_EQ(test::text_of(span, "gen_ai.tool.name"), "greet");
  EXPECT_EQ(span.error_type, "");
}

TEST_F(RpcSpanTest, WithoutThatItIsBelowTheRequest) {
  request_.trace = TraceContext::root(true);
  for (const auto& meta : {Json::object(), Json{{"traceparent", "nonsense"}}, Json(5)}) {
    answer(call(meta));
    test::expect_below(tracer_.spans().back(), request_.trace);
    EXPECT_FALSE(tracer_.spans().back().link.valid());
  }
}

TEST_F(RpcSpanTest, WhatIsNotSampledIsPassedOnAndLeavesNone) {
  request_.trace = TraceContext::root(true);
  const auto client = TraceContext::root(false);
  EXPECT_EQ(answer(call(meta_of(client))).traceparent(), client.traceparent());
  request_.trace = {};
  EXPECT_FALSE(answer(call(Json::object())).valid());
  EXPECT_TRUE(tracer_.spans().empty());
}

TEST_F(RpcSpanTest, OtherMethodsHaveNone) {
  request_.trace = TraceContext::root(true);
  EXPECT_EQ(answer(call(meta_of(TraceContext::root(true)), "tools/list")).traceparent(),
            request_.trace.traceparent());
  EXPECT_TRUE(tracer_.spans().empty());
}

TEST_F(RpcSpanTest, ItShowsNoNameThatCannotBeATools) {
  request_.trace = TraceContext::root(true);
  for (const auto* name : {"", "a b", "a\nb", "käse"}) {
    answer(call(Json::object(), "tools/call", name));
    EXPECT_EQ(tracer_.spans().back().name, "tools/call") << name;
  }
  answer(call(Json::object(), "tools/call", std::string(129, 'x')));
  EXPECT_EQ(tracer_.spans().back().name, "tools/call");
}

TEST_F(RpcSpanTest, AnErrorIsItsCode) {
  request_.trace = TraceContext::root(true);
  answer(
      call(Json::object()),
      wire::Response{.body = R"({"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":""}})"});
  EXPECT_EQ(tracer_.spans().back().error_type, "-32602");
  answer(call(Json::object()), wire::refuse(ErrorCode::kOverloaded, "full"));
  EXPECT_EQ(tracer_.spans().back().error_type, "overloaded");
}

}  // namespace
}  // namespace toolway::gateway::mcp
