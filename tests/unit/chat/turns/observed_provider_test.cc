#include "chat/turns/observed_provider.h"

#include <gtest/gtest.h>

#include "monitoring/metric_registry.h"
#include "tests/support/test_clock.h"
#include "tests/unit/chat/turns/keeps_spans.h"

namespace toolway::chat::turns {
namespace {

using providers::ModelRequest;
using providers::ProviderError;
using providers::ReplyResult;

/// Answers as it is told, after a while.
class Answers final : public providers::Provider {
 public:
  Answers(toolway::test::StoppedClock& clock, ReplyResult reply)
      : clock_(clock), reply_(std::move(reply)) {}
  const std::string& id() const override { return id_; }
  tools::exports::ModelApi api() const override { return tools::exports::ModelApi::kAnthropic; }
  tools::messages::Blocks blocks_for(const std::string& model) const override {
    return model == "blind" ? tools::messages::Blocks::kAsText : tools::messages::Blocks::kShown;
  }
  ReplyResult ask(const ModelRequest&, const providers::OnText& on_text, std::stop_token) override {
    clock_.advance(std::chrono::seconds(1));
    on_text("Hel");
    clock_.advance(std::chrono::seconds(2));
    on_text("lo.");
    return reply_;
  }

 private:
  toolway::test::StoppedClock& clock_;
  const ReplyResult reply_;
  const std::string id_ = "anthropic";
};

class ObservedProvider : public testing::Test {
 protected:
  std::string ask(ReplyResult reply, const TraceContext& parent = TraceContext::root(true)) {
    const auto provider =
        observed(std::make_shared<Answers>(clock_, std::move(reply)),
                 {.metrics = *metrics_, .tracer = tracer_, .clock = clock_, .parent = parent});
    std::string said;
    ModelRequest request;
    request.options.model = "m";
    static_cast<void>(provider->ask(request, [&](std::string_view text) { said += text; }, {}));
    EXPECT_EQ(said, "Hello.");
    return metrics_->scrape();
  }
  std::string attribute(std::string_view key) const {
    for (const auto& one : tracer_.spans.at(0).attributes)
      if (one.key == key && std::holds_alternative<std::string>(one.value))
        return std::get<std::string>(one.value);
    return "";
  }

  toolway::test::StoppedClock clock_;
  std::unique_ptr<monitoring::MetricRegistry> metrics_ = monitoring::make_registry("chat");
  KeepsSpans tracer_;
};

TEST_F(ObservedProvider, KnowsWhichModelsSeeImages) {
  const auto provider =
      observed(std::make_shared<Answers>(clock_, tools::messages::Message{}),
               {.metrics = *metrics_, .tracer = tracer_, .clock = clock_, .parent = {}});
  EXPECT_EQ(provider->blocks_for("blind"), tools::messages::Blocks::kAsText);
  EXPECT_EQ(provider->blocks_for("m"), tools::messages::Blocks::kShown);
}

TEST_F(ObservedProvider, MeasuresAReply) {
  tools::messages::Message reply{.role = tools::messages::Role::kAssistant, .model = "m-2"};
  reply.usage = tools::messages::Usage{.input = 100, .output = 7};
  const auto text = ask(std::move(reply));
  const std::string labels =
      "{gen_ai_operation_name=\"chat\",gen_ai_provider_name=\"anthropic\",gen_ai_request_model="
      "\"m\"";
  for (const auto& line :
       {"gen_ai_client_operation_duration_seconds_sum" + labels + "} 3",
        "gen_ai_client_token_usage_sum" + labels + ",gen_ai_token_type=\"input\"} 100",
        "gen_ai_client_token_usage_sum" + labels + ",gen_ai_token_type=\"output\"} 7",
        std::string("toolway_chat_first_text_seconds_sum{gen_ai_provider_name=\"anthropic\"} 1")})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  ASSERT_EQ(tracer_.spans.size(), 1U);
  EXPECT_EQ(tracer_.spans[0].name, "chat m");
  EXPECT_EQ(tracer_.spans[0].kind, monitoring::SpanKind::kClient);
  EXPECT_EQ(attribute("gen_ai.provider.name"), "anthropic");
  EXPECT_EQ(attribute("gen_ai.response.model"), "m-2");
}

TEST_F(ObservedProvider, SaysWhyThereIsNoReplyAndNeverWhatWasSaid) {
  const auto text = ask(providers::fail_with(ProviderError::Kind::kOverloaded, "secret words"));
  EXPECT_NE(text.find("error_type=\"overloaded\""), std::string::npos) << text;
  EXPECT_EQ(text.find("gen_ai_client_token_usage_sum"), std::string::npos);
  EXPECT_EQ(text.find("secret"), std::string::npos);
  ASSERT_EQ(tracer_.spans.size(), 1U);
  EXPECT_EQ(tracer_.spans[0].error_type, "overloaded");
  for (const auto& one : tracer_.spans[0].attributes)
    if (const auto* value = std::get_if<std::string>(&one.value)) {
      EXPECT_EQ(value->find("secret"), std::string::npos);
    }
}

TEST_F(ObservedProvider, MakesNoSpanWithoutATrace) {
  ask(tools::messages::Message{.role = tools::messages::Role::kAssistant}, {});
  EXPECT_TRUE(tracer_.spans.empty());
}

}  // namespace
}  // namespace toolway::chat::turns
