#include "gateway/endpoints/face_request.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "gateway/calls/idempotency.h"
#include "tests/unit/chat/messages.h"

namespace toolway::gateway::endpoints {
namespace {

using tools::exports::ModelApi;

Result<FaceRequest> read_face_text(std::string_view text, ModelApi api) {
  auto body = parse_ordered_json(text, kMaxFaceDepth);
  if (!body) return fail(body.error());
  return read_face_request(std::move(*body), api);
}

// The digest of a body that keeps the order of its members: gateways of both kinds know the key.
TEST(FaceRequest, ItsDigestIsThatOfItsMembersInAnyOrder) {
  const auto digest = [](const Json& body) { return calls::payload_digest("s", body); };
  constexpr std::string_view kBody = R"({"model": "m", "a": {"z": 1.50, "b": [{"y": 1, "x": 2}]}})";
  EXPECT_EQ(digest(Json(*parse_ordered_json(kBody))), digest(*parse_json(kBody)));
  EXPECT_EQ(digest(Json(*parse_ordered_json(kBody))),
            digest(Json(*parse_ordered_json(
                R"({"a": {"b": [{"x": 2, "y": 1}], "z": 1.5}, "model": "m"})"))));
}

TEST(FaceRequest, TakesWhatEachApiSends) {
  const auto chat = read_face_text(
      R"({"model": "m", "stream": true, "max_tokens": 5, "temperature": 0.1,
          "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]})",
      ModelApi::kOpenAi);
  ASSERT_TRUE(chat) << chat.error().message;
  EXPECT_TRUE(chat->streams);
  EXPECT_EQ(chat->turn.arguments["messages"].size(), 2U);
  EXPECT_EQ(chat->turn.arguments["messages"][1]["text"], "hi");
  EXPECT_EQ(chat->turn.arguments["options"]["max_tokens"], 5);
  const auto responses = read_face_text(
      R"({"model": "m", "instructions": "Be brief.", "input": "hi"})", ModelApi::kOpenAiResponses);
  ASSERT_TRUE(responses) << responses.error().message;
  EXPECT_EQ(responses->turn.arguments["messages"].size(), 2U);
  EXPECT_FALSE(responses->streams);
  const auto anthropic = read_face_text(
      R"({"model": "m", "max_tokens": 5, "system": "Be brief.",
          "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]})",
      ModelApi::kAnthropic);
  ASSERT_TRUE(anthropic) << anthropic.error().message;
  EXPECT_EQ(anthropic->turn.arguments["messages"][0]["role"], "system");
}

std::string asked_with(std::string_view more) {
  return fmt::format(R"({{"model": "m", "messages": [{{"role": "user", "content": "hi"}}], {}}})",
                     more);
}

TEST(FaceRequest, ToolsAreChosenInTheWordsOfEachApi) {
  const std::vector<std::pair<const char*, const char*>> choices{
      {R"("auto")", "auto"},
      {R"("none")", "none"},
      {R"("required")", "required"},
      {R"({"type": "any"})", "required"},
      {R"({"type": "none"})", "none"},
      {R"({"type": "tool", "name": "t"})", "t"},
      {R"({"type": "function", "name": "t"})", "t"},
      {R"({"type": "function", "function": {"name": "t"}})", "t"}};
  for (const auto& [choice, word] : choices) {
    const auto request =
        read_face_text(asked_with(fmt::format(R"("tool_choice": {})", choice)), ModelApi::kOpenAi);
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->turn.arguments["options"]["tool_choice"], word) << choice;
  }
  for (const auto* choice : {R"("some")", R"({"type": "tool"})", R"({"type": 5})", "5", "[]"}) {
    const auto request =
        read_face_text(asked_with(fmt::format(R"("tool_choice": {})", choice)), ModelApi::kOpenAi);
    ASSERT_FALSE(request) << choice;
    EXPECT_NE(request.error().message.find("tool_choice: expected"), std::string::npos);
  }
}

TEST(FaceRequest, WhatATurnDoesNotDoIsRefused) {
  for (const auto* more :
       {R"("previous_response_id": "r")", R"("conversation": {"id": "c"})", R"("background": true)",
        R"("prompt": {"id": "p"})", R"("n": 2)", R"("logprobs": true)", R"("stop": ["x"])",
        R"("stop_sequences": ["x"])", R"("response_format": {"type": "json_object"})",
        R"("text": {"format": {"type": "json_schema"}})", R"("mcp_servers": [{"name": "x"}])"}) {
    const auto request = read_face_text(asked_with(more), ModelApi::kOpenAi);
    EXPECT_FALSE(request) << more;
  }
  for (const auto* more :
       {R"("previous_response_id": null)", R"("background": false)", R"("n": 1)", R"("stop": null)",
        R"("stop_sequences": [])", R"("response_format": {"type": "text"})", R"("logprobs": false)",
        R"("text": {"format": {"type": "text"}, "verbosity": "low"})", R"("mcp_servers": [])"}) {
    const auto request = read_face_text(asked_with(more), ModelApi::kOpenAi);
    EXPECT_TRUE(request) << more << ": " << request.error().message;
  }
}

TEST(FaceRequest, AFlagIsTrueOrFalse) {
  for (const auto* value : {R"("true")", "1", "0", "{}", "[]"}) {
    const auto request =
        read_face_text(asked_with(fmt::format(R"("stream": {})", value)), ModelApi::kOpenAi);
    ASSERT_FALSE(request) << value;
    EXPECT_EQ(request.error().message, "stream: expected true or false");
  }
  for (const auto* options : {R"("yes")", "true", "[]", R"({"include_usage": "true"})"}) {
    const auto request =
        read_face_text(asked_with(fmt::format(R"("stream": true, "stream_options": {})", options)),
                       ModelApi::kOpenAi);
    ASSERT_FALSE(request) << options;
    EXPECT_TRUE(request.error().message.starts_with("stream_options")) << request.error().message;
  }
  for (const auto* value : {"true", "false", "null"}) {
    const auto request =
        read_face_text(asked_with(fmt::format(R"("stream": {}, "stream_options": null)", value)),
                       ModelApi::kOpenAi);
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->streams, value == std::string_view("true"));
  }
  EXPECT_FALSE(read_face_text(asked_with(R"("text": "json")"), ModelApi::kOpenAi));
}

TEST(FaceRequest, HasRoomForTheNewestImages) {
  OrderedJson messages = OrderedJson::array({{{"role", "user"}, {"content", "look"}}});
  for (const auto* id : {"a", "b", "c"}) {
    const auto image = base64(chat::test::png(2, 3, 200'000));
    messages.push_back({{"role", "assistant"},
                        {"content", OrderedJson::array({{{"type", "tool_use"},
                                                         {"id", id},
                                                         {"name", "t"},
                                                         {"input", OrderedJson::object()}}})}});
    const OrderedJson source{{"type", "base64"}, {"media_type", "image/png"}, {"data", image}};
    const OrderedJson shown{{"type", "image"}, {"source", source}};
    messages.push_back(
        {{"role", "user"},
         {"content", OrderedJson::array({{{"type", "tool_result"},
                                          {"tool_use_id", id},
                                          {"content", OrderedJson::array({shown})}}})}});
  }
  const auto request = read_face_text(
      to_text(OrderedJson{{"model", "m"}, {"max_tokens", 5}, {"messages", messages}}),
      ModelApi::kAnthropic);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_LT(request->turn.arguments_text.size(), 600'000U);
  const auto parsed = Json::parse(request->turn.arguments_text);
  const auto result = [&](std::size_t message) {
    return parsed["messages"][message]["results"][0];
  };
  EXPECT_FALSE(result(2).contains("blocks"));
  EXPECT_EQ(result(2)["text"], "[image image/png, 200000 bytes: too large to show]");
  EXPECT_TRUE(result(4).contains("blocks") != result(6).contains("blocks")) << "one fits";
  EXPECT_TRUE(result(6).contains("blocks"));
}

TEST(FaceRequest, TakesImagesOfTheUser) {
  const auto url = "data:image/png;base64," + base64(chat::test::png(2, 3));
  const auto blocks = [](const std::string& text, ModelApi api) {
    const auto request = read_face_text(text, api);
    if (!request) return request.error().message;
    const auto& message = request->turn.arguments["messages"][0];
    return message["text"].get<std::string>() + " " + std::to_string(message["blocks"].size());
  };
  const auto shown = "Look:\n[image image/png, 29 bytes] 1";
  EXPECT_EQ(
      blocks(R"({"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"Look:"},
      {"type":"image_url","image_url":{"url":")" +
                 url + R"("}}]}]})",
             ModelApi::kOpenAi),
      shown);
  EXPECT_EQ(
      blocks(
          R"({"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"Look:"},
      {"type":"input_image","image_url":")" +
              url + R"("}]}]})",
          ModelApi::kOpenAiResponses),
      shown);
  EXPECT_EQ(
      blocks(
          R"({"model":"m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"text","text":"Look:"},
      {"type":"image","source":{"type":"base64","media_type":"image/png","data":")" +
              base64(chat::test::png(2, 3)) + R"("}}]}]})",
          ModelApi::kAnthropic),
      shown);
  EXPECT_NE(blocks(R"({"model":"m","messages":[{"role":"user","content":[
      {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]})",
                   ModelApi::kOpenAi)
                .find("/messages/0/content/0/image_url: expected a PNG"),
            std::string::npos);
}

TEST(FaceRequest, RefusesToolsAndSaysWhatToDo) {
  const auto refused = read_face_text(
      R"({"model": "m", "tools": [{}], "messages": [{"role": "user", "content": "hi"}]})",
      ModelApi::kOpenAi);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("tool_calls"), std::string::npos);
}

TEST(FaceRequest, RefusesNumbersThatAreNone) {
  const auto error = [](const std::string& member) {
    const auto read = read_face_text(
        R"({"model": "m", "messages": [{"role": "user", "content": "hi"}], )" + member + "}",
        ModelApi::kOpenAi);
    return read ? std::string() : read.error().message;
  };
  for (const auto* name : {"max_tokens", "max_completion_tokens", "max_output_tokens"}) {
    for (const auto* value : {"1e300", "-1", "0", "1.5", "\"5\"", "1e5", "true"})
      EXPECT_EQ(error(fmt::format(R"("{}": {})", name, value)),
                fmt::format("{}: expected a whole number of 1 or more", name))
          << value;
    EXPECT_EQ(error(fmt::format(R"("{}": null)", name)), "");
    EXPECT_EQ(error(fmt::format(R"("{}": 18446744073709551615)", name)), "");
  }
  EXPECT_EQ(error(R"("temperature": "warm")"), "temperature: expected a number");
}

TEST(FaceRequest, RefusesWhatIsNotARequest) {
  for (const auto* const body :
       {"", "5", "[]", "{}", R"({"model": 5, "messages": []})", R"({"model": "m"})",
        R"({"model": "m", "messages": []})",
        R"({"model": "m", "messages": [{"role": "assistant", "content": "hi"}]})",
        R"({"model": "m", "messages": [{"role": "robot", "content": "hi"}]})",
        R"({"model": "m", "messages": [{"role": "tool", "tool_call_id": "a", "content": "x"}]})"})
    EXPECT_FALSE(read_face_text(body, ModelApi::kOpenAi)) << body;
}

}  // namespace
}  // namespace toolway::gateway::endpoints
