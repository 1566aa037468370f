#include <gtest/gtest.h>

#include "mcp/client_messages.h"
#include "mcp/tool_call.h"
#include "mcp/tool_list.h"

namespace toolway::mcp {
namespace {

ToolCallResult complete(const Json& result, Revision revision = Revision::k2025_11_25) {
  auto read = decode_tool_call(result, revision);
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  if (!read || !std::holds_alternative<ToolCallResult>(*read)) return {};
  return std::get<ToolCallResult>(*read);
}

TEST(McpToolCall, KeepsEveryBlock) {
  const auto result =
      complete({{"content",
                 {{{"type", "text"}, {"text", "a"}, {"annotations", {{"priority", 1}}}},
                  {{"type", "image"}, {"data", "AAAA"}, {"mimeType", "image/png"}},
                  {{"type", "audio"}, {"data", "BBBB"}, {"mimeType", "audio/wav"}},
                  {{"type", "resource_link"}, {"uri", "file:///x"}, {"name", "x"}},
                  {{"type", "resource"}, {"resource", {{"uri", "file:///y"}, {"text", "inside"}}}},
                  {{"type", "text"}, {"text", "b"}}}}});
  ASSERT_EQ(result.content.size(), 6U);
  EXPECT_EQ(text_of(result.content), "a\nb");
  EXPECT_EQ(result.content[1].mime_type, "image/png");
  EXPECT_EQ(result.content[3].uri, "file:///x");
  EXPECT_EQ(result.content[4].text, "inside");
  EXPECT_FALSE(result.is_error);
}

TEST(McpToolCall, StructuredContentMayBeAnything) {
  EXPECT_EQ(complete({{"content", Json::array()}, {"structuredContent", {{"a", 1}}}}).structured,
            Json({{"a", 1}}));
  EXPECT_EQ(complete({{"content", Json::array()}, {"structuredContent", nullptr}}).structured,
            Json());
  EXPECT_FALSE(complete({{"content", Json::array()}}).structured);
}

TEST(McpToolCall, RefusesWrongTypes) {
  for (const auto& wrong :
       {Json::object(), Json({{"content", 1}}), Json({{"content", {1}}}),
        Json({{"content", {{{"type", "video"}}}}}), Json({{"content", {{{"type", "text"}}}}}),
        Json({{"content", {{{"type", "text"}, {"text", 5}}}}}),
        Json({{"content", Json::array()}, {"isError", "yes"}}),
        Json({{"content", {{{"type", "resource"}, {"resource", {{"text", "no uri"}}}}}}})}) {
    EXPECT_FALSE(decode_tool_call(wrong, Revision::k2025_06_18)) << wrong.dump();
  }
}

TEST(McpToolCall, ResultTypesBelongToTheNewestRevision) {
  const Json asks{{"resultType", "input_required"},
                  {"requestState", "s"},
                  {"inputRequests", {{"k", {{"method", "elicitation/create"}}}}}};
  auto read = decode_tool_call(asks, Revision::k2026_07_28);
  ASSERT_TRUE(read && std::holds_alternative<InputRequired>(*read));
  ASSERT_EQ(std::get<InputRequired>(*read).asks.size(), 1U);
  EXPECT_EQ(std::get<InputRequired>(*read).asks[0].method, "elicitation/create");
  EXPECT_EQ(std::get<InputRequired>(*read).request_state, "s");
  auto many = asks;
  for (int i = 0; i < 99; ++i) many["inputRequests"]["k" + std::to_string(i)] = 5;
  EXPECT_TRUE(decode_tool_call(many, Revision::k2026_07_28)) << "what is not a question is refused";
  many["inputRequests"]["more"] = 5;
  EXPECT_FALSE(decode_tool_call(many, Revision::k2026_07_28));
  EXPECT_FALSE(decode_tool_call({{"resultType", "task"}, {"content", Json::array()}},
                                Revision::k2026_07_28));
  EXPECT_TRUE(decode_tool_call({{"content", Json::array()}}, Revision::k2026_07_28))
      << "left out: complete";
  EXPECT_TRUE(decode_tool_call({{"resultType", "task"}, {"content", Json::array()}},
                               Revision::k2025_11_25));
}

TEST(McpToolList, ReadsPagesAndLeavesOutWhatIsNotATool) {
  const auto page = decode_tool_page(R"({"jsonrpc":"2.0","id":1,"result":{"nextCursor":"","tools":[
    {"name":"b","title":"B","description":"d","inputSchema":{"type":"object","properties":{"z":{},"a":{}}},
     "annotations":{"readOnlyHint":true},"execution":{"taskSupport":"required"},"icons":[]},
    {"name":"no_schema"}, 17, {"inputSchema":{}}]}})");
  ASSERT_TRUE(page) << page.error().message;
  ASSERT_EQ(page->tools.size(), 1U);
  EXPECT_EQ(page->tools[0].input_schema.dump(), R"({"type":"object","properties":{"z":{},"a":{}}})")
      << "keys keep their order";
  EXPECT_EQ(page->tools[0].annotations.read_only, true);
  EXPECT_EQ(page->tools[0].tasks, TaskSupport::kRequired);
  EXPECT_EQ(page->refused.size(), 3U);
  EXPECT_EQ(page->next_cursor, "") << "an empty cursor is one";
  EXPECT_FALSE(decode_tool_page(R"({"jsonrpc":"2.0","id":1,"result":{"tools":{}}})"));
  EXPECT_FALSE(decode_tool_page(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  EXPECT_FALSE(
      decode_tool_page(R"({"jsonrpc":"2.0","id":1,"result":{"tools":[],"nextCursor":5}})"));
}

TEST(McpProgress, IsReadWhenItCanBeUsed) {
  const auto read =
      decode_progress({{"progressToken", 5}, {"progress", 0.5}, {"total", 1}, {"message", "half"}});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->token, RequestId(std::int64_t{5}));
  EXPECT_EQ(read->progress, 0.5);
  EXPECT_EQ(read->total, 1);
  EXPECT_EQ(read->message, "half");
  EXPECT_FALSE(decode_progress({{"progressToken", 5}}));
  EXPECT_FALSE(decode_progress({{"progress", 1}}));
  EXPECT_FALSE(decode_progress({{"progressToken", nullptr}, {"progress", 1}}));
  EXPECT_FALSE(decode_progress(nullptr));
}

}  // namespace
}  // namespace toolway::mcp
