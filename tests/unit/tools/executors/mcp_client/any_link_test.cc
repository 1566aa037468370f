// What both kinds of links owe their calls, in every revision.
#include "tests/unit/tools/executors/mcp_client/scripted_server.h"

namespace toolway::tools::executors::mcp_client {
namespace {

using Way = std::tuple<Scripted::Over, std::string>;

class AnyMcpLink : public testing::TestWithParam<Way> {
 protected:
  AnyMcpLink()
      : server({"--revision", std::get<1>(GetParam()), "--page", "7"}, std::get<0>(GetParam())) {
    server.connect();
  }
  bool modern() const { return std::get<1>(GetParam()) == "2026-07-28"; }
  bool stdio() const { return std::get<0>(GetParam()) == Scripted::Over::kStdio; }
  Scripted server;
};

TEST_P(AnyMcpLink, ListsPageByPageInTheRevisionOfTheServer) {
  const auto listed = server.listed.next();
  ASSERT_TRUE(listed);
  EXPECT_EQ(mcp::revision_name(listed->revision), std::get<1>(GetParam()));
  EXPECT_EQ(listed->server.name, "scripted");
  EXPECT_EQ(listed->tools.size(), 29U);
  EXPECT_EQ(listed->tools.front().title, "Echo");
}

TEST_P(AnyMcpLink, CarriesCallsAndTheirResults) {
  EXPECT_EQ(server.text("echo", {{"text", "Grüße\n"}}), "Grüße\n");
  EXPECT_EQ(server.call("add", {{"a", 2}, {"b", 3}})->structured, Json({{"sum", 5}}));
  EXPECT_EQ(server.call("picture")->content.at(1).mime_type, "image/png");
  EXPECT_EQ(server.call("blocks")->content.size(), 3U);
  EXPECT_TRUE(server.call("fails")->is_error);
  EXPECT_EQ(server.text("big_text", {{"bytes", 5'000'000}}).size(), 5'000'000U);
  EXPECT_EQ(server.text("refuses"), "mcp_refused");
  EXPECT_EQ(server.text("there_is_none"), "mcp_refused");
}

TEST_P(AnyMcpLink, SaysWhichSpanACallComesFrom) {
  auto call = server.with("echo");
  ASSERT_TRUE(server.link->call(call));
  call.call.trace = TraceContext::root(true);
  ASSERT_TRUE(server.link->call(call));
  call.call.trace.state = "vendor=1";
  ASSERT_TRUE(server.link->call(call));
  ASSERT_TRUE(server.sees("call", 3));
  const auto calls = server.seen("call");
  const auto parent = call.call.trace.traceparent();
  EXPECT_FALSE(calls[0]["meta"].contains("traceparent")) << calls[0];
  EXPECT_EQ(calls[1]["meta"]["traceparent"], parent);
  EXPECT_FALSE(calls[1]["meta"].contains("tracestate")) << calls[1];
  EXPECT_EQ(calls[2]["meta"]["tracestate"], "vendor=1");
  if (stdio()) return;
  std::vector<Json> posts = server.seen("post");
  std::erase_if(posts, [](const Json& post) { return post["method"] != "tools/call"; });
  ASSERT_EQ(posts.size(), 3U);
  EXPECT_FALSE(posts[0]["headers"].contains("traceparent"));
  EXPECT_EQ(posts[1]["headers"]["traceparent"], parent);
  EXPECT_EQ(posts[2]["headers"]["tracestate"], "vendor=1");
}

TEST_P(AnyMcpLink, CarriesManyAtOnce) {
  std::vector<std::jthread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 5; ++k)
        right += server.text("echo", {{"text", std::to_string(100 * i + k)}}) ==
                         std::to_string(100 * i + k)
                     ? 1
                     : 0;
    });
  }
  threads.clear();
  EXPECT_EQ(right, 160);
}

TEST_P(AnyMcpLink, ProgressComesWhileItRunsAndGrows) {
  std::vector<double> told;
  auto call = server.with("steps", {{"count", 4}});
  call.on_progress = [&](const mcp::ProgressNotification& progress) {
    EXPECT_EQ(progress.total, 4);
    told.push_back(progress.progress);
  };
  EXPECT_EQ(mcp::text_of(server.link->call(call)->content), "done");
  EXPECT_EQ(told, (std::vector<double>{1, 2, 3, 4}));
  told.clear();
  call = server.with("flood", {{"count", 5'000}});
  call.on_progress = [&](const mcp::ProgressNotification& progress) {
    told.push_back(progress.progress);
  };
  EXPECT_EQ(mcp::text_of(server.link->call(call)->content), "done");
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), 5'000);
}

TEST_P(AnyMcpLink, ACancelledCallReturnsAtOnceAndTheServerHearsOfIt) {
  std::stop_source stop;
  auto call = server.with("waits");
  call.cancelled = stop.get_token();
  std::jthread cancel([&] {
    ASSERT_TRUE(server.sees("call"));
    stop.request_stop();
  });
  const auto result = server.link->call(call);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "cancelled");
  // Over HTTP, today, the end of the request says it, which this server would only notice when it
  // writes.
  if (stdio() || !modern()) {
    EXPECT_TRUE(server.sees("cancelled"));
  }
  EXPECT_EQ(server.text("echo", {{"text", "still there"}}), "still there");
}

TEST_P(AnyMcpLink, ACallThatTakesTooLongIsGivenUp) {
  auto call = server.with("waits");
  call.timeout = std::chrono::milliseconds(200);
  const auto result = server.link->call(call);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "mcp_timeout");
  EXPECT_TRUE(result.error().retryable);
}

TEST_P(AnyMcpLink, ChangesOfTheListAreFollowed) {
  ASSERT_TRUE(server.listed.next());
  if (!stdio()) {
    ASSERT_TRUE(server.sees("listening"));
  }
  EXPECT_EQ(server.text("change", {{"names", {"new_one"}}}), "changed");
  const auto changed = server.listed.next();
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->tools.back().name, "new_one");
  EXPECT_EQ(server.text("new_one"), "new_one ran");
}

TEST_P(AnyMcpLink, AServerThatWantsSomethingGetsAnAnswerAndTheCallAnEnd) {
  const auto result = server.call("asks");
  if (modern()) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, "mcp_input_required");
    EXPECT_NE(result.error().message.find("elicitation/create"), std::string::npos);
    EXPECT_EQ(server.text("again", {{"times", 3}}), "asked again 3 times");
    EXPECT_EQ(server.text("again", {{"times", 100}}), "mcp_input_required");
  } else {
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(result->is_error);
    EXPECT_EQ(mcp::text_of(result->content), "the client said -32601");
  }
}

TEST_P(AnyMcpLink, NonsenseIsAnErrorOfItsCallAndOfNoOther) {
  const std::pair<const char*, const char*> kinds[] = {
      {"invalid_json", "mcp_protocol_error"}, {"batch", "mcp_protocol_error"},
      {"wrong_types", "mcp_protocol_error"},  {"wrong_result", "mcp_protocol_error"},
      {"long_line", "mcp_protocol_error"},    {"not_utf8", "mcp_protocol_error"},
      {"deep", "mcp_protocol_error"},         {"no_id_invalid_json", "mcp_protocol_error"}};
  for (const auto& [kind, code] : kinds) {
    const auto result = server.call("nonsense", {{"kind", kind}});
    ASSERT_FALSE(result) << kind;
    EXPECT_EQ(result.error().code, code) << kind << ": " << result.error().message;
    EXPECT_EQ(server.text("echo", {{"text", kind}}), kind) << "the next one is none the worse";
  }
  EXPECT_EQ(server.text("nonsense", {{"kind", "changes_list_meanwhile"}}), "and the answer");
  if (modern()) {
    EXPECT_EQ(server.text("nonsense", {{"kind", "result_type"}}), "mcp_protocol_error");
  }
}

std::string name_of(const testing::TestParamInfo<Way>& one) {
  std::string name = std::get<0>(one.param) == Scripted::Over::kStdio ? "stdio_" : "http_";
  for (const char c : std::get<1>(one.param)) name += c == '-' ? '_' : c;
  return name;
}
INSTANTIATE_TEST_SUITE_P(
    BothWays, AnyMcpLink,
    testing::Combine(testing::Values(Scripted::Over::kStdio, Scripted::Over::kHttp),
                     testing::Values("2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")),
    name_of);

}  // namespace
}  // namespace toolway::tools::executors::mcp_client
