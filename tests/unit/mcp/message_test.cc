#include <gtest/gtest.h>

#include "mcp/message.h"

namespace toolway::mcp {
namespace {

template <typename T>
T read_as(std::string_view text) {
  auto message = decode_message(text);
  EXPECT_TRUE(message) << text << ": " << message.error().message;
  if (!message || !std::holds_alternative<T>(*message)) {
    ADD_FAILURE() << text << " is another message";
    return {};
  }
  return std::get<T>(*message);
}

TEST(McpMessage, ReadsEachKind) {
  const auto request =
      read_as<Request>(R"({"jsonrpc":"2.0","id":"a","method":"roots/list","new":1})");
  EXPECT_EQ(request.id, RequestId("a"));
  EXPECT_EQ(request.method, "roots/list");
  EXPECT_EQ(read_as<Notification>(R"({"jsonrpc":"2.0","method":"m","params":{"x":1}})").params,
            Json({{"x", 1}}));
  const auto answer = read_as<Answer>(R"({"jsonrpc":"2.0","id":7,"result":{"tools":[]}})");
  EXPECT_EQ(answer.id, RequestId(std::int64_t{7}));
  ASSERT_TRUE(answer.result);
  const auto refused = read_as<Answer>(
      R"({"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no","data":[1]}})");
  ASSERT_FALSE(refused.result);
  EXPECT_EQ(refused.result.error().code, kMethodNotFound);
  EXPECT_EQ(refused.result.error().data, Json({1}));
}

TEST(McpMessage, AnErrorMayBeAboutAMessageWithoutAnId) {
  EXPECT_FALSE(
      read_as<Answer>(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}})")
          .id);
  EXPECT_FALSE(
      read_as<Answer>(R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"what?"}})").id);
}

TEST(McpMessage, RefusesWhatIsNone) {
  for (const auto* text :
       {"",
        "hello",
        "[]",
        "1",
        "null",
        "{}",
        R"({"jsonrpc":"1.0","method":"m"})",
        R"({"method":"m"})",
        R"([{"jsonrpc":"2.0","method":"m"}])",
        R"({"jsonrpc":"2.0","id":1})",
        R"({"jsonrpc":"2.0","method":1})",
        R"({"jsonrpc":"2.0","id":null,"method":"m"})",
        R"({"jsonrpc":"2.0","id":1.5,"method":"m"})",
        R"({"jsonrpc":"2.0","id":{},"method":"m"})",
        R"({"jsonrpc":"2.0","id":1,"result":1})",
        R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}})",
        R"({"jsonrpc":"2.0","result":{}})",
        R"({"jsonrpc":"2.0","id":null,"result":{}})",
        R"({"jsonrpc":"2.0","id":1,"method":"m","result":{}})",
        R"({"jsonrpc":"2.0","id":1,"error":"bad"})",
        R"({"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}})",
        R"({"jsonrpc":"2.0","method":"m","params":[1]})",
        R"({"jsonrpc":"2.0","id":18446744073709551615,"result":{}})",
        "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"}) {
    EXPECT_FALSE(decode_message(text)) << text;
  }
}

TEST(McpMessage, IsBounded) {
  const std::string long_text =
      R"({"jsonrpc":"2.0","id":1,"result":{"x":")" + std::string(1000, 'x') + "\"}}";
  EXPECT_TRUE(decode_message(long_text));
  EXPECT_EQ(decode_message(long_text, {.bytes = 500}).error().code, ErrorCode::kPayloadTooLarge);
  std::string many = R"({"jsonrpc":"2.0","id":1,"result":{"x":[0)";
  for (int i = 0; i < 1000; ++i) many += ",0";
  many += "]}}";
  EXPECT_TRUE(decode_message(many));
  EXPECT_EQ(decode_message(many, {.values = 500}).error().code, ErrorCode::kPayloadTooLarge);
  const std::string deep = R"({"jsonrpc":"2.0","id":1,"result":{"x":)" + std::string(100, '[') +
                           std::string(100, ']') + "}}";
  EXPECT_EQ(decode_message(deep).error().code, ErrorCode::kMalformedJson);
  EXPECT_FALSE(
      decode_message(R"({"jsonrpc":"2.0","id":")" + std::string(2000, 'i') + R"(","result":{}})"));
}

TEST(McpMessage, GuessesTheIdOfWhatCannotBeRead) {
  EXPECT_EQ(id_at_beginning(R"({"jsonrpc":"2.0","id":42,"result":{"con)"),
            RequestId(std::int64_t{42}));
  EXPECT_EQ(id_at_beginning(R"({"id" : 7 ,)"), RequestId(std::int64_t{7}));
  EXPECT_FALSE(id_at_beginning(R"({"jsonrpc":"2.0","id":4)")) << "more digits may follow";
  EXPECT_FALSE(id_at_beginning(R"({"result":{"id":42},)")) << "another id, further inside";
  EXPECT_FALSE(id_at_beginning(R"({"x":"id","y":[42],)"));
  EXPECT_FALSE(id_at_beginning("hello"));
  EXPECT_FALSE(id_at_beginning("{\"id"));
}

TEST(McpMessage, ReadsWhatItWrites) {
  const Request request{.id = std::int64_t{3}, .method = "tools/list", .params = {{"cursor", ""}}};
  const auto read = read_as<Request>(encode(request));
  EXPECT_EQ(read.id, request.id);
  EXPECT_EQ(read.params, request.params);
  const auto answer =
      read_as<Answer>(encode(Answer{RequestId("x"), tl::unexpected(RpcError{1, "no", {2}})}));
  EXPECT_EQ(answer.result.error().data, Json({2}));
}

}  // namespace
}  // namespace toolway::mcp
