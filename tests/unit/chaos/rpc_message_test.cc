#include "tests/chaos/rpc_message.h"

#include <gtest/gtest.h>

namespace toolway::chaos {
namespace {

RpcMessage read(const char* text, std::string_view id = {}) {
  return read_message(*parse_ordered_json(text), id);
}

TEST(RpcMessage, SaysWhichEventItShows) {
  const auto seen =
      read(R"({"method":"notifications/progress","params":{"progressToken":"p","progress":2.5}})",
           "sealed:2.5:17-4");
  EXPECT_EQ(seen.kind, RpcMessage::Kind::kProgress);
  EXPECT_EQ(seen.at, (EventId{17, 4}));
  EXPECT_EQ(seen.progress_token, "\"p\"");
  EXPECT_EQ(seen.progress, 2.5);
  EXPECT_FALSE(seen.life);
}

TEST(RpcMessage, ReadsQuestionsOfBothEras) {
  const auto request = read(
      R"({"id":"sealed","method":"elicitation/create","params":{"message":"tok.u1.2. q1 c7"}})");
  EXPECT_EQ(request.kind, RpcMessage::Kind::kQuestion);
  EXPECT_EQ(request.asks, std::vector<std::string>{"q1"});
  EXPECT_EQ(request.call_id, "c7");
  EXPECT_EQ(request.token, "tok.u1.2.");
  const auto result = read(
      R"({"id":1,"result":{"resultType":"input_required","inputRequests":{"q1":{"params":{"message":"tok.u1.2. q1 c7"}}}}})");
  EXPECT_EQ(result.kind, RpcMessage::Kind::kAnswer);
  EXPECT_EQ(result.asks, std::vector<std::string>{"q1"});
  EXPECT_EQ(result.call_id, "c7");
  EXPECT_FALSE(result.task);
}

TEST(RpcMessage, ReadsTasksOfBothEras) {
  const auto created = read(R"({"id":1,"result":{"task":{"taskId":"c7","status":"working"}}})");
  ASSERT_TRUE(created.task);
  EXPECT_EQ(created.call_id, "c7");
  const auto asks = read(
      R"({"id":1,"result":{"taskId":"c7","status":"input_required","inputRequests":{"q1":{}}}})");
  ASSERT_TRUE(asks.task);
  EXPECT_EQ(asks.task->asks, std::vector<std::string>{"q1"});
  EXPECT_TRUE(asks.asks.empty()) << "the task asks, and not the request";
}

TEST(RpcMessage, ReadsErrors) {
  const auto seen = read(R"({"id":1,"error":{"code":-32602,"message":"no"}})");
  EXPECT_EQ(seen.error, -32602);
  EXPECT_EQ(seen.said, "no");
  EXPECT_FALSE(seen.reading);
}

}  // namespace
}  // namespace toolway::chaos
