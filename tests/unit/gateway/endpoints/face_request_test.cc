#include "gateway/endpoints/face_request.h"

#include <gtest/gtest.h>

namespace toolway::gateway::endpoints {
namespace {

using tools::exports::ModelApi;

TEST(FaceRequest, TakesWhatEachApiSends) {
  const auto chat = read_face_request(
      R"({"model": "m", "stream": true, "max_tokens": 5, "temperature": 0.1,
          "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]})",
      ModelApi::kOpenAi);
  ASSERT_TRUE(chat) << chat.error().message;
  EXPECT_TRUE(chat->streams);
  EXPECT_EQ(chat->turn.arguments["messages"].size(), 2U);
  EXPECT_EQ(chat->turn.arguments["messages"][1]["text"], "hi");
  EXPECT_EQ(chat->turn.arguments["options"]["max_tokens"], 5);
  const auto responses = read_face_request(
      R"({"model": "m", "instructions": "Be brief.", "input": "hi"})", ModelApi::kOpenAiResponses);
  ASSERT_TRUE(responses) << responses.error().message;
  EXPECT_EQ(responses->turn.arguments["messages"].size(), 2U);
  EXPECT_FALSE(responses->streams);
  const auto anthropic = read_face_request(
      R"({"model": "m", "max_tokens": 5, "system": "Be brief.",
          "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]})",
      ModelApi::kAnthropic);
  ASSERT_TRUE(anthropic) << anthropic.error().message;
  EXPECT_EQ(anthropic->turn.arguments["messages"][0]["role"], "system");
}

TEST(FaceRequest, RefusesToolsAndSaysWhatToDo) {
  const auto refused = read_face_request(
      R"({"model": "m", "tools": [{}], "messages": [{"role": "user", "content": "hi"}]})",
      ModelApi::kOpenAi);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("tool_calls"), std::string::npos);
}

TEST(FaceRequest, RefusesWhatIsNotARequest) {
  for (const auto* const body :
       {"", "5", "[]", "{}", R"({"model": 5, "messages": []})", R"({"model": "m"})",
        R"({"model": "m", "messages": []})",
        R"({"model": "m", "messages": [{"role": "assistant", "content": "hi"}]})",
        R"({"model": "m", "messages": [{"role": "robot", "content": "hi"}]})",
        R"({"model": "m", "messages": [{"role": "tool", "tool_call_id": "a", "content": "x"}]})"})
    EXPECT_FALSE(read_face_request(body, ModelApi::kOpenAi)) << body;
}

}  // namespace
}  // namespace toolway::gateway::endpoints
