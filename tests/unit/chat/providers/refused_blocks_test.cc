// Models that take no images, and images that a model does not take.
#include <gtest/gtest.h>

#include "base/base64.h"
#include "chat/providers/answer_errors.h"
#include "tests/unit/chat/messages.h"
#include "tests/unit/chat/providers/served.h"

namespace toolway::chat::providers {
namespace {

using test::ask;
using test::ModelApi;
using test::ScriptedConnection;
using test::ScriptedServer;

constexpr std::string_view kCannotSee = "This model does not support image input.";

std::string refusal_body(std::string_view message) {
  return to_text(OrderedJson{{"error", {{"type", "invalid_request_error"}, {"message", message}}}});
}

FailedAnswer refusal(int status, std::string_view message) {
  return {.status = status, .body = refusal_body(message)};
}

TEST(RefusedBlocks, AreOfTheModelOrOfOneRequest) {
  using enum BlocksRefused;
  const struct {
    int status;
    std::string_view words;
    BlocksRefused refused;
  } cases[] = {
      {400, kCannotSee, kAlways},
      {400, "Invalid content type. image_url is only supported by certain models.", kAlways},
      {404, "No endpoints found that support image input", kAlways},
      {500, "image input is not supported - hint: you may need to provide the mmproj", kAlways},
      {400, "At most 0 image(s) may be provided in one request.", kAlways},
      {422, "input.2.output: Input should be a valid string", kAlways},
      {400, "messages.2: Could not process image", kThisTime},
      {400, "image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes", kThisTime},
      {400, "A maximum of 100 PDF pages may be provided.", kThisTime},
      {400,
       "You uploaded an unsupported image. Please make sure your image has one of the following "
       "formats: png",
       kThisTime},
      {400, "something else is wrong", kPerhaps},
      {413, "Request exceeds the maximum size", kPerhaps},
      {404, "no such model", kNo},
      {401, kCannotSee, kNo},
      {429, kCannotSee, kNo},
      {500, "it broke", kNo},
      {500, "the image service broke", kNo},
      {400, "'top_k' is not supported with this model: see the documentation", kPerhaps},
      {200, kCannotSee, kNo}};
  for (const auto& [status, words, refused] : cases)
    EXPECT_EQ(refused_blocks(refusal(status, words), {}), refused) << status << words;
  const FailedAnswer other{
      .status = 400,
      .body =
          R"({"error":{"message":"temperature is not supported with images","param":"temperature"}})"};
  EXPECT_EQ(refused_blocks(other, {"temperature"}), kNo) << "something else is to blame";
  EXPECT_EQ(refused_blocks(other, {"include"}), kAlways);
}

/// A model with the results of a tool that returned an image.
tools::messages::History with_image() {
  auto history = test::user_says("look");
  EXPECT_TRUE(history.append(test::calls({{"a", "t", "{}"}})));
  EXPECT_TRUE(history.append(test::results(
      {test::returned("a", {test::text_block("Here:"), test::image_block(test::png(2, 3))})})));
  return history;
}

bool has_image(const std::string& request) {
  return request.find("iVBORw0KGgo") != std::string::npos;
}

/// Answers a request that has an image with the error.
ScriptedServer::Answer refusing(int status, std::string_view message) {
  auto then = test::serving(make_scripted_provider(
      test::script_of("turns: [{replies: [{calls: [{tool: t}]}, {text: 'I see: {{result}}'}]}]")));
  return [=, body = refusal_body(message)](ScriptedConnection& connection,
                                           const std::string& request) {
    return has_image(request) ? connection.send(ScriptedServer::status(status, "", body))
                              : then(connection, request);
  };
}

TEST(RefusedBlocks, AreSentAsTextFromThenOn) {
  for (const auto api : {ModelApi::kOpenAiResponses, ModelApi::kAnthropic}) {
    ScriptedServer server(refusing(400, kCannotSee));
    const auto memory = std::make_shared<ProviderMemory>();
    auto provider = test::provider_at(server, api, {}, memory);
    EXPECT_EQ(provider->blocks_for("m"), tools::messages::Blocks::kShown);
    const auto [asked, text, retried] = ask(*provider, with_image());
    ASSERT_TRUE(asked) << asked.error().message;
    EXPECT_EQ(text, "I see: Here:\n[image image/png, 29 bytes]");
    ASSERT_EQ(server.requests().size(), 2u);
    EXPECT_TRUE(has_image(server.requests()[0]));
    EXPECT_EQ(provider->blocks_for("m"), tools::messages::Blocks::kAsText);
    EXPECT_EQ(provider->blocks_for("another"), tools::messages::Blocks::kShown);
    ASSERT_TRUE(ask(*test::provider_at(server, api, {}, memory), with_image()).asked);
    EXPECT_EQ(server.requests().size(), 3u) << "it is known";
  }
}

TEST(RefusedBlocks, OfOneRequestAreTriedAgainWithTheNext) {
  for (const auto* words : {"Could not process image", "who knows"}) {
    ScriptedServer server(refusing(400, words));
    auto provider = test::provider_at(server, ModelApi::kAnthropic);
    for (const std::size_t requests : {2U, 4U}) {
      ASSERT_TRUE(ask(*provider, with_image()).asked);
      EXPECT_EQ(server.requests().size(), requests);
    }
    EXPECT_EQ(provider->blocks_for("m"), tools::messages::Blocks::kShown);
  }
}

TEST(RefusedBlocks, AServerThatRefusesEverythingIsAskedTwice) {
  for (const auto* words :
       {"This model does not support image input.", "no", "Could not process image"}) {
    ScriptedServer server([=](ScriptedConnection& connection, const std::string&) {
      return connection.send(ScriptedServer::status(400, "", refusal_body(words)));
    });
    auto provider = test::provider_at(server, ModelApi::kAnthropic);
    const auto [asked, text, retried] = ask(*provider, with_image());
    ASSERT_FALSE(asked);
    EXPECT_EQ(asked.error().kind, ProviderError::Kind::kRefused);
    EXPECT_EQ(server.requests().size(), 2u);
    EXPECT_FALSE(ask(*provider, test::user_says("no image")).asked);
    EXPECT_EQ(server.requests().size(), 3u);
  }
}

TEST(RefusedBlocks, ChatCompletionsSendsThoseOfTheUser) {
  ScriptedServer server(refusing(400, kCannotSee));
  auto provider = test::provider_at(server, ModelApi::kOpenAi);
  EXPECT_EQ(provider->blocks_for("m"), tools::messages::Blocks::kOfUser);
  EXPECT_EQ(ask(*provider, with_image()).text, "I see: Here:\n[image image/png, 29 bytes]");
  EXPECT_EQ(server.requests().size(), 1u) << "those of results are text";
  tools::messages::History history;
  ASSERT_TRUE(history.append(test::shows({test::image_block(test::png(2, 3))})));
  EXPECT_TRUE(ask(*provider, history).asked);
  ASSERT_EQ(server.requests().size(), 3u);
  EXPECT_TRUE(has_image(server.requests()[1]));
  EXPECT_EQ(provider->blocks_for("m"), tools::messages::Blocks::kAsText);
}

TEST(ServedModel, TakesBlocksAsTheApisDo) {
  const auto script = std::shared_ptr<Provider>(make_scripted_provider(
      test::script_of("turns: [{replies: [{calls: [{tool: t}]}, {text: 'I see: {{result}}'}]}]")));
  for (const auto api : {ModelApi::kOpenAiResponses, ModelApi::kAnthropic}) {
    ScriptedServer server(test::serving(script));
    auto provider = test::provider_at(server, api);
    EXPECT_EQ(ask(*provider, with_image()).text, "I see: Here:\n[image image/png, 29 bytes]");
    EXPECT_EQ(server.requests().size(), 1u);
    EXPECT_TRUE(has_image(server.requests()[0]));
  }
}

TEST(ServedModel, RefusesBlocksThatTheApisRefuse) {
  const auto script =
      make_scripted_provider(test::script_of("turns: [{replies: [{calls: [{tool: t}]}, {}]}]"));
  const auto status_of = [&](std::string_view media_type, std::string_view data) {
    OrderedJson source{{"type", "base64"}, {"media_type", media_type}, {"data", data}};
    const auto text = [](const char* format, const OrderedJson& with) {
      auto body = *parse_ordered_json(format);
      body["messages"][2]["content"][0]["content"][0]["source"] = with;
      return to_text(body);
    };
    const auto body = text(
        R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"look"},
            {"role":"assistant","content":[{"type":"tool_use","id":"a","name":"t","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"a",
              "content":[{"type":"image"}]}]}]})",
        source);
    int status = 0;
    serve_model(ModelApi::kAnthropic, body, *script,
                {.head = [&](int code, std::string_view) { status = code; },
                 .body = [](std::string_view) {}},
                {});
    return status;
  };
  EXPECT_EQ(status_of("image/png", base64(test::png(2, 3))), 200);
  EXPECT_EQ(status_of("image/png", "%%%"), 400);
  EXPECT_EQ(status_of("image/bmp", base64("BM")), 400);
  EXPECT_EQ(status_of("image/gif", base64(test::png(2, 3))), 400);
}

}  // namespace
}  // namespace toolway::chat::providers
