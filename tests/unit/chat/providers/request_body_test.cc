#include <gtest/gtest.h>

#include <functional>

#include "chat/providers/dialect.h"
#include "tests/unit/chat/messages.h"

/// What each API is sent besides the messages.
namespace toolway::chat::providers {
namespace {

using tools::exports::ModelApi;

class RequestBody : public testing::Test {
 protected:
  OrderedJson body(
      const char* api, const LeftOut& left_out = {},
      const std::function<void(ModelRequest&)>& change = [](ModelRequest&) {}) const {
    const auto dialect = make_dialect(api);
    ModelRequest request{.messages = {&system_, &user_},
                         .tools = window::tool_list(tools_, dialect->api()),
                         .options = {.model = "m"}};
    change(request);
    return dialect->body(request, api, left_out);
  }

  const tools::messages::Message system_ =
      tools::messages::text_message(tools::messages::Role::kSystem, "Be brief.");
  const tools::messages::Message user_ = test::user("hi");
  const OrderedJson tools_ =
      OrderedJson::array({{{"name", "b"}}, {{"name", "a"}}, {{"name", "c"}}});
};

TEST_F(RequestBody, OfChatCompletionsAsksForTheUsage) {
  auto sent = body("openai");
  EXPECT_EQ(sent["stream"], true);
  EXPECT_EQ(sent["stream_options"], OrderedJson({{"include_usage", true}}));
  EXPECT_EQ(sent["max_completion_tokens"], 1024);
  EXPECT_FALSE(sent.contains("max_tokens"));
  EXPECT_EQ(sent["tools"], tools_);
  EXPECT_EQ(sent["tool_choice"], "auto");
  EXPECT_EQ(body("openai", {"max_completion_tokens"})["max_tokens"], 1024);
  EXPECT_FALSE(body("openai", {"stream_options"}).contains("stream_options"));
}

TEST_F(RequestBody, OfResponsesIsNotStoredAndAsksForEncryptedReasoning) {
  auto sent = body("openai-responses");
  EXPECT_EQ(sent["stream"], true);
  EXPECT_EQ(sent["store"], false);
  EXPECT_EQ(sent["include"], OrderedJson::array({"reasoning.encrypted_content"}));
  EXPECT_EQ(sent["max_output_tokens"], 1024);
  EXPECT_EQ(sent["tools"], tools_);
  // A model without reasoning refuses it; whether it is stored does not depend on the model.
  auto without = body("openai-responses", {"include"});
  EXPECT_FALSE(without.contains("include"));
  EXPECT_EQ(without["store"], false);
  EXPECT_FALSE(make_responses_dialect()->optional().contains("store"));
}

TEST_F(RequestBody, OfMessagesMarksWhatIsTheSameEachTime) {
  const OrderedJson mark{{"type", "ephemeral"}};
  auto sent = body("anthropic");
  EXPECT_EQ(sent["max_tokens"], 1024);
  EXPECT_EQ(
      sent["system"],
      OrderedJson::array({{{"type", "text"}, {"text", "Be brief."}, {"cache_control", mark}}}));
  // All tools before it are kept with the last one.
  auto marked = tools_;
  marked.back()["cache_control"] = mark;
  EXPECT_EQ(sent["tools"], marked);
  auto without = body("anthropic", {"cache_control"});
  EXPECT_EQ(without["system"], "Be brief.");
  EXPECT_EQ(without["tools"], tools_);
}

TEST_F(RequestBody, HasToolsInTheSameOrderAndTheSameBytesEachTime) {
  for (const auto* api : {"openai", "openai-responses", "anthropic"}) {
    const auto first = to_text(body(api)["tools"]);
    EXPECT_EQ(to_text(body(api)["tools"]), first);
    EXPECT_LT(first.find("\"b\""), first.find("\"a\"")) << "as they came";
    // Neither does it depend on what is said.
    const auto longer = test::user("and now?");
    const auto second =
        body(api, {}, [&](ModelRequest& request) { request.messages.push_back(&longer); });
    EXPECT_EQ(to_text(second["tools"]), first);
  }
}

}  // namespace
}  // namespace toolway::chat::providers
