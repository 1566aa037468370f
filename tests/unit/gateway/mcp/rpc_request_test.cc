#include "gateway/mcp/rpc_request.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::Revision;

constexpr const char* kMeta =
    R"("_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                 "io.modelcontextprotocol/clientCapabilities": {}, "progressToken": 7})";

std::string request(const std::string& method, const std::string& params) {
  return R"({"jsonrpc": "2.0", "id": 1, "method": ")" + method + R"(", "params": {)" + params +
         "}}";
}

RpcHeaders modern(std::string method) {
  return {.revision = "2026-07-28", .session = {}, .method = std::move(method), .name = {}};
}

std::string many(std::size_t zeros) {
  std::string all = "0";
  for (std::size_t i = 1; i < zeros; ++i) all += ",0";
  return all;
}

TEST(RpcRequest, TheEraFollowsFromTheRequestAlone) {
  const auto stateless = read_message(request("tools/list", kMeta), modern("tools/list"));
  ASSERT_TRUE(stateless);
  const auto& read = std::get<RpcRequest>(*stateless);
  EXPECT_TRUE(read.stateless);
  EXPECT_EQ(read.revision, Revision::k2026_07_28);
  EXPECT_EQ(read.progress_token, 7);
  const auto stateful =
      read_message(request("tools/list", ""), {.revision = "2025-11-25", .session = "s"});
  ASSERT_TRUE(stateful);
  EXPECT_FALSE(std::get<RpcRequest>(*stateful).stateless);
  EXPECT_EQ(std::get<RpcRequest>(*stateful).session, "s");
  EXPECT_TRUE(read_message(request("initialize", R"("protocolVersion": "2025-11-25")"), {}));
}

std::string refused(const std::string& body, const RpcHeaders& headers = {}) {
  const auto read = read_message(body, headers);
  if (read) return "taken";
  const auto& [status, id, error] = read.error();
  return fmt::format("{} {} {} {}", status, id ? to_text(id_json(*id)) : "null", error.code,
                     error.message);
}

TEST(RpcRequest, ARefusedOneKeepsItsIdIfThatCanBeRead) {
  EXPECT_EQ(refused(R"({"id": 3, "method": "tools/list", "params": null})"),
            "400 3 -32600 `jsonrpc` must be \"2.0\"");
  EXPECT_EQ(refused(R"({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": null})"),
            "400 \"a\" -32600 `params` must be an object");
  EXPECT_TRUE(
      refused(R"({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})").starts_with("400 null"));
  EXPECT_TRUE(refused(R"({"jsonrpc": "2.0", "id": 1, "result": 7})").starts_with("400 null"))
      << "it is the id of a request of ours";
  EXPECT_TRUE(refused(R"({"jsonrpc": "2.0", "id": 5, "method": "ping", "params": {"a": [)" +
                      many(10'001) + "]}}")
                  .starts_with("413 5 "));
  EXPECT_EQ(refused("[]"),
            "400 null -32600 batches of messages are not supported: send one message per request");
}

TEST(RpcRequest, ARevisionThatDoesNotFitIsNamedWithTheWayOut) {
  EXPECT_EQ(refused(request("tools/list", ""), {.revision = "2026-07-28", .session = "s"}),
            "400 1 -32600 2026-07-28 has no MCP-Session-Id: send params._meta with each request");
  EXPECT_EQ(
      refused(request("tools/list", ""), {.revision = "1999-01-01", .session = "s"}),
      "400 1 -32600 the revision in MCP-Protocol-Version is not spoken here; those that begin "
      "with initialize are 2025-11-25, 2025-06-18, 2025-03-26");
}

TEST(RpcRequest, ParamsOfAWrongTypeAreRefused) {
  const RpcHeaders in_session{.revision = {}, .session = "s"};
  const auto token = [&](const std::string& value) {
    return refused(request("tools/list", R"("_meta": {"progressToken": )" + value + "}"),
                   in_session);
  };
  for (const auto* good : {"7", "\"a\"", "null"}) EXPECT_EQ(token(good), "taken") << good;
  for (const auto* bad : {"1.5", "{}", "[]", "true"})
    EXPECT_EQ(token(bad),
              "200 1 -32602 params._meta.progressToken must be a text or a whole number");
  EXPECT_EQ(refused(request("tools/list", R"("_meta": 1)"), in_session),
            "200 1 -32602 params._meta must be an object");
  const auto modern_one = [](const std::string& more) {
    std::string meta(kMeta);
    meta.erase(meta.find(R"("progressToken")"));
    return refused(request("tools/list", meta + more + "}"), modern("tools/list"));
  };
  EXPECT_EQ(modern_one(R"("progressToken": {})"),
            "400 1 -32602 params._meta.progressToken must be a text or a whole number");
  EXPECT_EQ(refused(R"({"jsonrpc": "2.0", "id": 1, "method": "initialize"})"),
            "200 1 -32602 params.protocolVersion is missing");
  EXPECT_EQ(refused(request("initialize", R"("protocolVersion": 5)")),
            "200 1 -32602 params.protocolVersion must be a text");
  const std::string begins = R"("protocolVersion": "2025-11-25", )";
  EXPECT_EQ(refused(request("initialize", begins + R"("capabilities": "x")")),
            "200 1 -32602 params.capabilities must be an object");
  EXPECT_EQ(refused(request("initialize", begins + R"("clientInfo": 7)")),
            "200 1 -32602 params.clientInfo must be an object");
}

TEST(RpcRequest, NotificationsAreNotAnswered) {
  const auto read =
      read_message(R"({"jsonrpc": "2.0", "method": "notifications/initialized"})", {});
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::holds_alternative<NoAnswer>(*read));
}

TEST(RpcRequest, AnAnswerSaysToWhichQuestionItIs) {
  const auto read = read_message(R"({"jsonrpc": "2.0", "id": "q", "result": {"a": 1}})", {});
  ASSERT_TRUE(read);
  const auto* answer = std::get_if<ClientAnswer>(&*read);
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer->id, "q");
  EXPECT_EQ(answer->result.value()["a"], 1);
}

TEST(RpcRequest, ArgumentsAreKeptAsTheyWereWrittenAndHeavyOnesOnlySo) {
  const std::string small = R"({"x":  1.50})";
  const std::string heavy = R"({"x": [)" + many(200'000) + "]}";
  for (const auto& arguments : {small, heavy}) {
    const auto read =
        read_message(request("tools/call", R"("name": "a", "arguments": )" + arguments),
                     {.revision = {}, .session = "s"});
    ASSERT_TRUE(read) << read.error().error.message;
    const auto& call = std::get<RpcRequest>(*read);
    EXPECT_EQ(call.arguments_text, arguments);
    EXPECT_EQ(call.request.params.contains("arguments"), arguments == small);
    EXPECT_EQ(call.request.params["name"], "a");
  }
  const auto prompt =
      read_message(request("prompts/get", R"("name": "a", "arguments": {"x": "y"})"),
                   {.revision = {}, .session = "s"});
  ASSERT_TRUE(prompt);
  EXPECT_TRUE(std::get<RpcRequest>(*prompt).arguments_text.empty());
}

struct Wrong {
  std::string body;
  RpcHeaders headers;
  unsigned status;
  std::int64_t code;
};

TEST(RpcRequest, WhatIsWrongHasTheStatusAndCodeOfItsRevision) {
  const auto call = std::string(R"("name": "a", )") + kMeta;
  const std::vector<Wrong> all{
      {"", {}, 400, -32700},
      {"[]", {}, 400, -32600},
      {R"([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])", {}, 400, -32600},
      {R"({"jsonrpc": "2.0", "id": null, "method": "ping"})", {}, 400, -32600},
      {request("server/discover", ""), modern("server/discover"), 400, -32602},
      {request("tools/list",
               R"("_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"})"),
       modern("tools/list"), 400, -32602},
      {request("tools/list", kMeta), {.revision = {}, .method = "tools/list"}, 400, -32020},
      {request("tools/list", kMeta), modern("tools/call"), 400, -32020},
      {request("tools/call", call), modern("tools/call"), 400, -32020},
      {request("tools/list",
               R"("_meta": {"io.modelcontextprotocol/protocolVersion": "1999-01-01",
                            "io.modelcontextprotocol/clientCapabilities": {}})"),
       {.revision = "1999-01-01", .session = {}, .method = "tools/list", .name = {}},
       400,
       -32022},
      {request("tools/list", ""), {.revision = "1999-01-01", .session = "s"}, 400, -32600},
      {request("tools/call", R"("name": "a", "arguments": {"x": 1, "x": 2})"), {}, 400, -32700},
      {request("tools/call", R"("name": "a", "n\u0061me": "b")"), {}, 400, -32700},
      {request("ping", R"("a": [)" + many(10'001) + "]"), {}, 413, -32600},
  };
  for (const auto& wrong : all) {
    const auto read = read_message(wrong.body, wrong.headers);
    ASSERT_FALSE(read) << wrong.body;
    EXPECT_EQ(read.error().status, wrong.status) << wrong.body;
    EXPECT_EQ(read.error().error.code, wrong.code) << wrong.body;
  }
}

TEST(RpcRequest, ANameMayBeInBase64) {
  auto headers = modern("tools/call");
  const auto call = request("tools/call", std::string(R"("name": "größe", )") + kMeta);
  headers.name = "=?base64?Z3LDtsOfZQ==?=";
  EXPECT_TRUE(read_message(call, headers));
  for (const char* wrong : {"=?base64?!?=", "=?base64?\?=", "=?base64?Z3LDtsOfZQ", "=?base64?="}) {
    headers.name = wrong;
    EXPECT_FALSE(read_message(call, headers)) << wrong;
  }
}

TEST(RpcRequest, AHandshakeAgreesOnARevisionThatBothSpeak) {
  EXPECT_EQ(negotiate({{"protocolVersion", "2025-06-18"}}), Revision::k2025_06_18);
  for (const Json& params : {Json{{"protocolVersion", "2026-07-28"}}, Json{{"protocolVersion", 5}},
                             Json::object(), Json{{"protocolVersion", "1999-01-01"}}})
    EXPECT_EQ(negotiate(params), Revision::k2025_11_25) << params;
}

}  // namespace
}  // namespace toolway::gateway::mcp
