#include "cli/mcp_serve/exchange.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/mutex.h"
#include "tests/support/scripted_server.h"

namespace toolway::cli::mcp_serve {
namespace {

using namespace std::chrono_literals;
using test::ScriptedConnection;
using test::ScriptedServer;

constexpr const char* kInitialize =
    R"({"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25"}})";
constexpr const char* kCall =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}})";
constexpr const char* kAnswer = R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})";

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string header_of(const std::string& request, const std::string& name) {
  const auto at = request.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const auto begin = at + name.size() + 4;
  return request.substr(begin, request.find("\r\n", begin) - begin);
}

std::string stream_of(const std::vector<std::string>& messages) {
  std::string body;
  for (const auto& message : messages) body += "event: message\ndata: " + message + "\n\n";
  return "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n"
         "content-length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// `x`, whose parameter `region` goes into a header; and the one after it on the list.
std::string listed(const std::string& cursor = {}) {
  const std::string next = cursor.empty() ? "" : R"(,"nextCursor":")" + cursor + '"';
  return R"({"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"x","inputSchema":{"type":"object",)"
         R"("properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}])" +
         next + "}}";
}

constexpr const char* kMeta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                              R"("io.modelcontextprotocol/clientCapabilities":{}})";

std::string new_call(const std::string& tool = "x") {
  return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + tool +
         R"(","arguments":{"region":"Süd"},)" + kMeta + "}}";
}

constexpr const char* kMismatch =
    R"({"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"the header is missing"}})";
/// `Süd`, as a header may carry it.
constexpr const char* kRegion = "=?base64?U8O8ZA==?=";

std::string opened(const std::string& session) {
  return ScriptedServer::ok(
      R"({"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25"}})",
      "mcp-session-id: " + session + "\r\n");
}

std::string json_status(int code, const std::string& body, const std::string& headers = {}) {
  return ScriptedServer::status(code, headers, body);
}

/// Takes lines to a server that answers as `answer` says.
class ExchangeTest : public testing::Test {
 protected:
  void serve(std::function<std::string(const std::string& request)> answer) {
    server_ = std::make_unique<ScriptedServer>(
        [answer = std::move(answer)](ScriptedConnection& to, const std::string& request) {
          const auto bytes = answer(request);
          return !bytes.empty() && to.send(bytes) && !has(bytes, "connection: close");
        });
    reached_.http.url = "http://127.0.0.1:" + std::to_string(server_->port());
    reached_.http.engine = *tools::http::HttpEngine::start();
  }
  void run(const std::string& text) {
    const Exchange exchange(reached_, board_, parameters_, write_);
    exchange.run(text, *read_client_line(text), {});
  }
  std::vector<std::string> requests() const { return server_->requests(); }

  const SystemClock clock_;
  Reached reached_{.clock = clock_, .patience = 5s};
  SessionBoard board_;
  ParameterHeaders parameters_;
  std::vector<std::string> lines_;
  const std::function<void(const std::string&)> write_ = [this](const std::string& line) {
    lines_.push_back(line);
  };
  std::unique_ptr<ScriptedServer> server_;
};

TEST_F(ExchangeTest, KeepsTheSessionAndNamesItFromThenOn) {
  serve([](const std::string& request) {
    return has(request, "initialize\"") ? opened("s1") : ScriptedServer::ok(kAnswer);
  });
  run(kInitialize);
  run(kCall);
  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_EQ(lines_.back(), kAnswer) << "byte for byte";
  const auto first = requests().front();
  const auto second = requests().back();
  EXPECT_EQ(header_of(first, "MCP-Session-Id"), "");
  EXPECT_EQ(header_of(second, "MCP-Session-Id"), "s1");
  EXPECT_EQ(header_of(second, "MCP-Protocol-Version"), "2025-11-25");
  EXPECT_EQ(header_of(second, "Accept"), "application/json, text/event-stream");
  EXPECT_TRUE(second.ends_with(kCall)) << "byte for byte";
}

TEST_F(ExchangeTest, EachMessageOfAStreamIsALine) {
  serve([](const std::string&) {
    return stream_of({R"({"jsonrpc":"2.0","method":"notifications/progress"})", kAnswer});
  });
  run(kCall);
  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_EQ(lines_.front(), R"({"jsonrpc":"2.0","method":"notifications/progress"})");
  EXPECT_EQ(lines_.back(), kAnswer);
}

TEST_F(ExchangeTest, AMessageOverSeveralLinesBecomesOne) {
  serve([](const std::string&) {
    return ScriptedServer::ok("{\"jsonrpc\":\"2.0\",\r\n\"id\":1,\n\"result\":{}}");
  });
  run(kCall);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_.front(), "{\"jsonrpc\":\"2.0\",  \"id\":1, \"result\":{}}");
}

TEST_F(ExchangeTest, AStreamThatBreaksIsAskedForAgainUnderTheSameKeyAndRepeatsNothing) {
  const std::string first =
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"p":1}})";
  const std::string second =
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"p":2}})";
  std::atomic<int> asked = 0;
  serve([&](const std::string&) {
    return asked++ == 0 ? stream_of({first}) : stream_of({first, second, kAnswer});
  });
  run(kCall);
  EXPECT_EQ(lines_, (std::vector<std::string>{first, second, kAnswer}));
  const auto all = requests();
  ASSERT_EQ(all.size(), 2U);
  const auto key = header_of(all[0], "Idempotency-Key");
  EXPECT_FALSE(key.empty());
  EXPECT_EQ(key, header_of(all[1], "Idempotency-Key"));
  run(kCall);
  EXPECT_NE(header_of(requests().back(), "Idempotency-Key"), key) << "another call";
}

TEST_F(ExchangeTest, AQuestionThatComesAgainIsAskedOnce) {
  const auto question = [](const std::string& id) {
    return R"({"jsonrpc":"2.0","id":")" + id +
           R"(","method":"elicitation/create","params":{"message":"Sure?"}})";
  };
  std::atomic<int> asked = 0;
  serve([&](const std::string&) {
    return asked++ == 0 ? stream_of({question("a")}) : stream_of({question("b"), kAnswer});
  });
  run(kCall);
  EXPECT_EQ(lines_, (std::vector<std::string>{question("a"), kAnswer}));
}

TEST_F(ExchangeTest, AGatewayThatIsNotReadyIsAskedAgain) {
  std::atomic<int> asked = 0;
  serve([&](const std::string&) -> std::string {
    switch (asked++) {
      case 0: return {};  // the connection closes
      case 1: return json_status(503, R"({"code":"shutting_down"})", "retry-after: 0\r\n");
      case 2: return json_status(409, R"({"code":"request_in_flight"})");
      default: return ScriptedServer::ok(kAnswer);
    }
  });
  run(kCall);
  EXPECT_EQ(lines_, std::vector<std::string>{kAnswer});
  EXPECT_EQ(asked, 4);
}

TEST_F(ExchangeTest, ASessionThatIsGoneIsOpenedAgainAndTheRequestRepeated) {
  std::atomic<int> sessions = 0;
  serve([&](const std::string& request) -> std::string {
    if (has(request, "initialize\"")) return opened("s" + std::to_string(++sessions));
    if (has(request, "initialized")) return "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
    if (header_of(request, "MCP-Session-Id") != "s2")
      return json_status(404,
                         R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"gone"}})");
    return ScriptedServer::ok(kAnswer);
  });
  run(kInitialize);
  run(kCall);
  EXPECT_EQ(lines_.size(), 2U) << "the second handshake is not the client's";
  EXPECT_EQ(lines_.back(), kAnswer);
  EXPECT_EQ(sessions, 2);
  EXPECT_EQ(board_.now().session, "s2");
}

TEST_F(ExchangeTest, ANamedSessionThatWasDeletedIsSaidAtOnce) {
  std::atomic<bool> deleted = false;
  serve([&](const std::string& request) -> std::string {
    if (!deleted && has(request, "initialize\"")) return opened("s1");
    return json_status(404, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,)"
                            R"("message":"you have no session x: open it"}})");
  });
  run(kInitialize);
  deleted = true;
  run(kCall);
  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_TRUE(has(lines_.back(), R"("message":"you have no session x: open it")")) << lines_.back();
  EXPECT_EQ(requests().size(), 3U) << "it does not come back by asking";
}

TEST_F(ExchangeTest, ASessionThatIsNeverKnownIsNotOpenedForEver) {
  std::atomic<int> sessions = 0;
  serve([&](const std::string& request) -> std::string {
    if (has(request, "initialize\"")) return opened("s" + std::to_string(++sessions));
    if (has(request, "initialized")) return "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
    return json_status(404, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"gone"}})");
  });
  run(kInitialize);
  run(kCall);
  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_TRUE(has(lines_.back(), "gone")) << lines_.back();
  EXPECT_LE(sessions, 5);
}

TEST_F(ExchangeTest, RefusalsAreErrorsInPlainWords) {
  serve([](const std::string&) {
    return json_status(401, R"({"code":"unauthenticated","title":"No","detail":"no key"})",
                       "content-type: application/problem+json\r\n");
  });
  run(kCall);
  ASSERT_EQ(lines_.size(), 1U);
  const auto answer = *parse_json(lines_.front());
  EXPECT_EQ(answer["id"], 1);
  EXPECT_EQ(answer["error"]["code"], mcp::kInternalError);
  EXPECT_TRUE(has(answer["error"]["message"].get<std::string>(), "TOOLWAY_API_KEY"))
      << lines_.front();
  EXPECT_EQ(requests().size(), 1U) << "it would be refused again";
}

TEST_F(ExchangeTest, WhatToDoIsASentenceWithWhatHappened) {
  serve([](const std::string&) {
    return json_status(
        401, R"({"code":"unauthenticated","title":"No","detail":"a key is missing: create one"})",
        "content-type: application/problem+json\r\n");
  });
  run(kCall);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_TRUE(has(lines_.front(),
                  "a key is missing: create one; pass a key or token that it "
                  "accepts with --key-file FILE or TOOLWAY_API_KEY"))
      << lines_.front();
}

TEST_F(ExchangeTest, AnErrorWithoutAnIdIsThatOfTheRequest) {
  serve([](const std::string&) {
    return json_status(400, R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}})");
  });
  run(kCall);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_.front(), R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"m"}})");
}

TEST_F(ExchangeTest, AnotherProgramThereIsNamedAndNotAskedAgain) {
  serve([](const std::string&) { return ScriptedServer::ok("<html>"); });
  run(kCall);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_TRUE(has(lines_.front(), "-32603")) << lines_.front();
  EXPECT_EQ(requests().size(), 1U);
}

TEST_F(ExchangeTest, WhereNoGatewayIsAnErrorSaysSo) {
  serve([](const std::string&) { return std::string(); });
  server_.reset();
  reached_.patience = 0s;
  run(kCall);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_TRUE(has(lines_.front(), "cannot reach")) << lines_.front();
  run(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_EQ(lines_.size(), 1U) << "nothing is answered to a notification";
}

TEST_F(ExchangeTest, ACallOfAToolNotSeenListsThemFirstAndHasItsHeaders) {
  serve([](const std::string& request) {
    return ScriptedServer::ok(has(request, "tools/list") ? listed() : std::string(kAnswer));
  });
  run(new_call());
  run(new_call());
  EXPECT_EQ(lines_, (std::vector<std::string>{kAnswer, kAnswer})) << "the list is not the client's";
  const auto all = requests();
  ASSERT_EQ(all.size(), 3U) << "listed once";
  EXPECT_EQ(header_of(all[0], "Mcp-Method"), "tools/list");
  EXPECT_EQ(header_of(all[0], "MCP-Protocol-Version"), "2026-07-28");
  EXPECT_EQ(header_of(all[1], "Mcp-Param-Region"), kRegion);
  EXPECT_EQ(header_of(all[2], "Mcp-Param-Region"), kRegion);
  run(new_call("unknown"));
  EXPECT_EQ(requests().size(), 4U) << "the whole list is known";
}

TEST_F(ExchangeTest, WhatAClientListsIsLearned) {
  serve([](const std::string& request) {
    return ScriptedServer::ok(has(request, "tools/list") ? listed("more") : std::string(kAnswer));
  });
  run(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{)" + std::string(kMeta) + "}}");
  EXPECT_EQ(lines_.back(), listed("more")) << "byte for byte";
  run(new_call());
  ASSERT_EQ(requests().size(), 2U);
  EXPECT_EQ(header_of(requests().back(), "Mcp-Param-Region"), kRegion);
}

TEST_F(ExchangeTest, ARefusedHeaderMakesItListAgainAndTheClientDoesNotSee) {
  std::atomic<bool> marked = false;
  serve([&](const std::string& request) {
    if (has(request, "tools/list"))
      return ScriptedServer::ok(marked ? listed()
                                       : R"({"jsonrpc":"2.0","id":1,"result":{"tools":[]}})");
    if (!marked || !header_of(request, "Mcp-Param-Region").empty())
      return ScriptedServer::ok(kAnswer);
    return json_status(400, kMismatch);
  });
  run(new_call());
  marked = true;
  run(new_call());
  EXPECT_EQ(lines_, (std::vector<std::string>{kAnswer, kAnswer}));
  const auto all = requests();
  ASSERT_EQ(all.size(), 5U) << "list, call; call, list, call";
  EXPECT_EQ(header_of(all[2], "Idempotency-Key"), header_of(all[4], "Idempotency-Key"));
}

TEST_F(ExchangeTest, AHeaderThatIsRefusedTwiceIsTheAnswer) {
  serve([](const std::string& request) {
    return has(request, "tools/list") ? json_status(403, R"({"code":"forbidden"})")
                                      : json_status(400, kMismatch);
  });
  run(new_call());
  EXPECT_EQ(lines_, std::vector<std::string>{kMismatch});
  EXPECT_EQ(requests().size(), 4U);
  run(new_call());
  EXPECT_EQ(requests().size(), 7U) << "only what is refused is a reason to list again";
}

TEST_F(ExchangeTest, AChangedListIsForgotten) {
  const std::string changed =
      R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}})";
  serve([&](const std::string& request) {
    if (has(request, "tools/list")) return ScriptedServer::ok(listed());
    if (has(request, "subscriptions")) return stream_of({changed, kAnswer});
    return ScriptedServer::ok(kAnswer);
  });
  run(new_call());
  run(R"({"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{)" + std::string(kMeta) +
      "}}");
  run(new_call());
  EXPECT_EQ(requests().size(), 5U) << "listed twice";
}

TEST_F(ExchangeTest, TheOtherEraHasNoSuchHeaders) {
  serve([](const std::string&) { return ScriptedServer::ok(kAnswer); });
  run(kCall);
  EXPECT_EQ(requests().size(), 1U);
}

TEST_F(ExchangeTest, WhatIsStoppedIsNotAnswered) {
  std::stop_source stop;
  serve([&](const std::string&) {
    stop.request_stop();
    return std::string();
  });
  const Exchange exchange(reached_, board_, parameters_, write_);
  exchange.run(kCall, *read_client_line(kCall), stop.get_token());
  EXPECT_TRUE(lines_.empty());
}

}  // namespace
}  // namespace toolway::cli::mcp_serve
