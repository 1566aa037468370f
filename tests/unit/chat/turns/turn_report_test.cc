#include "chat/turns/turn_report.h"

#include <gtest/gtest.h>

#include "monitoring/metric_registry.h"
#include "tests/support/test_clock.h"
#include "tests/unit/chat/turns/keeps_spans.h"
#include "tools/model/local_context.h"

namespace toolway::chat::turns {
namespace {

using tools::model::Execution;
using tools::model::ToolError;

Execution ended_as(const char* code) { return tl::unexpected(ToolError(code, "why")); }

TEST(TurnReport, HasAWordForEachEnd) {
  EXPECT_EQ(finish_label(Json{{"finish", "replied"}}), "replied");
  EXPECT_EQ(finish_label(Json{{"finish", "refused"}}), "refused");
  EXPECT_EQ(finish_label(Json{{"conversation", "c"}}), "done");
  EXPECT_EQ(finish_label(ended_as("rate_limited")), "rate_limited");
  EXPECT_EQ(finish_label(ended_as("refused")), "request_refused") << "not by the model";
  EXPECT_EQ(finish_label(ended_as("cancelled")), "cancelled");
  EXPECT_EQ(finish_label(ended_as("a-code-that-a-stranger-made")), "failed") << "the set is closed";
  EXPECT_EQ(finish_label(Json{{"finish", "x"}}), "failed");
}

TEST(TurnReport, HasAWordForEachBeginning) {
  EXPECT_EQ(begun_label("send", false), "message");
  EXPECT_EQ(begun_label("send", true), "api");
  EXPECT_EQ(begun_label("continue", false), "completions");
  EXPECT_EQ(begun_label("new", false), "new");
  EXPECT_EQ(begun_label("import", false), "import");
  EXPECT_EQ(begun_label("whatever a client sends", false), "message");
}

TEST(TurnReport, CountsATurnAndMeasuresItFromItsConversationOn) {
  const auto metrics = monitoring::make_registry("chat");
  KeepsSpans tracer;
  toolway::test::StoppedClock clock;
  tools::model::LocalContext context;
  context.span = TraceContext::root(true);
  TurnReport report({*metrics, tracer}, clock, context, "message");
  clock.advance(std::chrono::seconds(60));
  report.begins();
  clock.advance(std::chrono::seconds(2));
  report.retried("openai", {.why = providers::ProviderError::Kind::kRateLimited});
  report.told(3);
  report.replied("openai", {.iterations = 2, .cut = 1, .usage = {.input = 100, .output = 7}});
  report.ended(Json{{"finish", "replied"}});
  const auto text = metrics->scrape();
  for (const auto* line :
       {"toolway_chat_turns_total{begun=\"message\",finish=\"replied\"} 1",
        "toolway_chat_turn_seconds_sum{begun=\"message\"} 2", "toolway_chat_iterations_total 2",
        "toolway_chat_calls_told_total 3", "toolway_chat_requests_cut_total 1",
        "toolway_chat_model_retries_total{error_type=\"rate_limited\",gen_ai_provider_name="
        "\"openai\"} 1"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  ASSERT_EQ(tracer.spans.size(), 1U);
  const auto& span = tracer.spans.front();
  EXPECT_EQ(span.name, "invoke_agent");
  EXPECT_EQ(span.parent.span_id_hex(), context.span.span_id_hex());
  EXPECT_EQ(span.context.span_id_hex(), report.trace().span_id_hex());
  EXPECT_EQ(span.error_type, "");
}

TEST(TurnReport, ATurnThatNeverHadItsConversationHasNoTime) {
  const auto metrics = monitoring::make_registry("chat");
  KeepsSpans tracer;
  toolway::test::StoppedClock clock;
  tools::model::LocalContext context;
  TurnReport report({*metrics, tracer}, clock, context, "message");
  report.ended(ended_as("conversation_busy"));
  const auto text = metrics->scrape();
  EXPECT_NE(text.find("finish=\"conversation_busy\"} 1"), std::string::npos) << text;
  EXPECT_EQ(text.find("toolway_chat_turn_seconds_count"), std::string::npos);
  EXPECT_TRUE(tracer.spans.empty()) << "the call is not in a trace";
}

}  // namespace
}  // namespace toolway::chat::turns
