#include "cli/mcp_serve/client_line.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace toolway::cli::mcp_serve {
namespace {

using Kind = ClientLine::Kind;

Json refused(std::string_view line) {
  const auto read = read_client_line(line);
  EXPECT_FALSE(read) << line;
  return read ? Json() : *parse_json(read.error());
}

TEST(ClientLine, KnowsRequestsNotificationsAndAnswers) {
  const auto ping = read_client_line(R"({"jsonrpc":"2.0","id":7,"method":"ping"})");
  ASSERT_TRUE(ping);
  EXPECT_EQ(ping->kind, Kind::kRequest);
  EXPECT_EQ(ping->id, mcp::RequestId(7));
  EXPECT_FALSE(ping->stateless);
  EXPECT_TRUE(ping->headers.empty());
  const auto said = read_client_line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  ASSERT_TRUE(said);
  EXPECT_EQ(said->kind, Kind::kNotification);
  const auto answer = read_client_line(R"({"jsonrpc":"2.0","id":"q","result":{}})");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, Kind::kAnswer);
  EXPECT_FALSE(answer->id) << "it asks for nothing";
}

TEST(ClientLine, RepeatsWhatTheNewEraWantsInHeaders) {
  const auto call = read_client_line(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"größe","_meta":{)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
  ASSERT_TRUE(call);
  EXPECT_TRUE(call->stateless);
  EXPECT_TRUE(call->calls_tool());
  EXPECT_EQ(call->headers, (mcp::Headers{{"MCP-Protocol-Version", "2026-07-28"},
                                         {"Mcp-Method", "tools/call"},
                                         {"Mcp-Name", "=?base64?Z3LDtsOfZQ==?="}}));
  const auto read = read_client_line(
      R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"docs://a","_meta":{)"
      R"("io.modelcontextprotocol/protocolVersion":"2099-01-01"}}})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->headers.front().second, "2099-01-01") << "the gateway says that it is unknown";
  EXPECT_EQ(read->headers.back(), (std::pair<std::string, std::string>{"Mcp-Name", "docs://a"}));
}

TEST(ClientLine, ATaskIsNamedByItsId) {
  const auto get = read_client_line(
      R"({"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"c","_meta":{)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
  ASSERT_TRUE(get);
  EXPECT_EQ(get->headers.back(), (std::pair<std::string, std::string>{"Mcp-Name", "c"}));
}

TEST(ClientLine, HeadersHoldNoLineEnds) {
  const auto call =
      read_client_line(R"({"jsonrpc":"2.0","id":1,"method":"x\r\nevil: 1","params":{"_meta":{)"
                       R"("io.modelcontextprotocol/protocolVersion":"2026-07-28\r\nevil: 1"}}})");
  ASSERT_TRUE(call);
  for (const auto& [name, value] : call->headers)
    EXPECT_EQ(value.find_first_of("\r\n"), std::string::npos) << name;
}

TEST(ClientLine, NamesTheRequestThatACancellationIsFor) {
  const auto line = [](const std::string& id) {
    return read_client_line(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" + id +
        "}}");
  };
  EXPECT_EQ(line("3")->cancels, mcp::RequestId(3));
  EXPECT_EQ(line("\"a\"")->cancels, mcp::RequestId("a"));
  EXPECT_FALSE(line("null")->cancels);
  EXPECT_FALSE(line("[1]")->cancels);
}

TEST(ClientLine, WhatIsNotAMessageIsAnsweredWithItsIdIfThatCanBeRead) {
  for (const char* line : {"hello", "{", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",
                           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"}) {
    const auto answer = refused(line);
    EXPECT_EQ(answer["error"]["code"], kParseError) << answer.dump();
    EXPECT_TRUE(answer.contains("id") && answer["id"].is_null()) << answer.dump();
  }
  for (const char* line : {"[]", "1", "null", R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])",
                           R"({"jsonrpc":"2.0","id":null,"method":"ping"})"}) {
    const auto answer = refused(line);
    EXPECT_EQ(answer["error"]["code"], mcp::kInvalidRequestError) << line << answer.dump();
    EXPECT_TRUE(answer["id"].is_null());
  }
  for (const char* line : {R"({"id":3,"method":"tools/list"})",
                           R"({"jsonrpc":"2.0","id":3,"method":"ping","params":[]})",
                           R"({"jsonrpc":"2.0","id":3,"method":"ping","params":null})"}) {
    const auto answer = refused(line);
    EXPECT_EQ(answer["error"]["code"], mcp::kInvalidRequestError) << line << answer.dump();
    EXPECT_EQ(answer["id"], 3) << "its client waits for it";
  }
  EXPECT_EQ(refused(std::string(100'000, '['))["error"]["code"], kParseError);
}

}  // namespace
}  // namespace toolway::cli::mcp_serve
