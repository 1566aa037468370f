#include "cli/talk/gateway_tools.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "base/base64.h"
#include "tests/support/scripted_server.h"
#include "tests/support/test_clock.h"
#include "tests/unit/chat/messages.h"

namespace toolway::cli::talk {
namespace {

using tools::messages::Call;
using toolway::test::ScriptedConnection;
using toolway::test::ScriptedServer;

/// It stands still.
toolway::test::StoppedClock& time_of_tests() {
  static toolway::test::StoppedClock clock;
  return clock;
}

const std::vector<Call> kCalls{{"a", "t", "{}"}, {"b", "t", "{\"n\": 1}"}};

std::string answer_of(std::string_view status, std::string_view outcome) {
  return ScriptedServer::ok(
      std::string(R"({"results":[{"id":"a","call_id":"A","tool":"n.t","status":"completed",)") +
      R"("outcome":"failed","text":"one","is_error":true},)" +
      R"({"id":"b","call_id":"B","tool":"n.t","text":"two","is_error":false,"status":")" +
      std::string(status) + R"(","outcome":)" + std::string(outcome) + "}]}");
}

TEST(GatewayTools, SendsTheKeyAndReadsResults) {
  ScriptedServer server([](ScriptedConnection& connection, const std::string&) {
    return connection.send(answer_of("detached", "null"));
  });
  const auto tools = make_gateway_tools({.url = server.url("")}, "talk", 1000, time_of_tests());
  const auto results = tools->run(kCalls, "key.1", {});
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 2u);
  EXPECT_TRUE((*results)[0].is_error);
  EXPECT_EQ((*results)[0].ran_as, "A");
  EXPECT_FALSE((*results)[1].is_error);
  EXPECT_EQ((*results)[1].text, "two");
  EXPECT_TRUE((*results)[1].detached);
  EXPECT_FALSE((*results)[0].detached);
  const auto request = server.requests().front();
  EXPECT_TRUE(
      request.starts_with("POST /v1/sessions/talk/tool_calls?format=toolway&inline_ms=1000 "))
      << request;
  EXPECT_NE(request.find("Idempotency-Key: key.1"), std::string::npos);
  EXPECT_NE(request.find(R"("arguments":"{\"n\": 1}")"), std::string::npos);
}

TEST(GatewayTools, BringsImagesAndDocuments) {
  const auto png = base64(chat::test::png(2, 3));
  ScriptedServer server([&](ScriptedConnection& connection, const std::string&) {
    return connection.send(ScriptedServer::ok(
        R"({"results":[{"id":"a","call_id":"A","tool":"n.t","status":"completed","outcome":"succeeded",)"
        R"("result":null,"result_ref":{"size":9},"content":[{"type":"text","text":"Here:"},)"
        R"({"type":"image","data":")" +
        png +
        R"(","mime_type":"image/png"},{"type":"audio","data":"YWJj","mime_type":"audio/wav"}],)" +
        R"("text":"Here:\n[image image/png, 29 bytes]\n[audio audio/wav, 3 bytes]\n\n[This is only the beginning]",)" +
        R"("is_error":false},{"id":"b","call_id":"B","tool":"n.t","status":"completed","content":[],)" +
        R"("text":"two","is_error":false}]})"));
  });
  const auto tools = make_gateway_tools({.url = server.url("")}, "talk", 1000, time_of_tests());
  const auto results = tools->run(kCalls, "key.1", {});
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_EQ((*results)[0].text,
            "Here:\n[image image/png, 29 bytes]\n[audio audio/wav, 3 bytes]\n\n"
            "[This is only the beginning]");
  ASSERT_EQ((*results)[0].blocks.size(), 1u);
  EXPECT_EQ((*results)[0].blocks[0].data, png);
  EXPECT_EQ((*results)[1].text, "two");
  EXPECT_TRUE((*results)[1].blocks.empty());
}

TEST(GatewayTools, AsksAgainUnderTheSameKey) {
  std::atomic<int> answers = 0;
  ScriptedServer server([&](ScriptedConnection& connection, const std::string&) {
    return connection.send(answers++ == 0 ? ScriptedServer::status(503)
                                          : answer_of("completed", "\"succeeded\""));
  });
  const auto tools = make_gateway_tools({.url = server.url("")}, "talk", 1000, time_of_tests());
  EXPECT_TRUE(tools->run(kCalls, "key.1", {}));
  EXPECT_EQ(server.requests()[0], server.requests()[1]);
}

TEST(GatewayTools, AfterAStopItCancelsWhatRuns) {
  std::stop_source stop;
  ScriptedServer server([&](ScriptedConnection& connection, const std::string& request) {
    if (request.find("inline_ms=0&start=false ") != std::string::npos)
      return connection.send(answer_of("detached", "null"));
    if (request.find("/cancel") != std::string::npos)
      return connection.send(ScriptedServer::ok("{}"));
    stop.request_stop();
    connection.wait_for_close();
    return false;
  });
  const auto tools = make_gateway_tools({.url = server.url("")}, "talk", 1000, time_of_tests());
  const auto results = tools->run(kCalls, "key.1", stop.get_token());
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 1u) << "the other was stopped";
  EXPECT_EQ((*results)[0].call_id, "a");
  EXPECT_TRUE(server.requests().back().starts_with("POST /v1/calls/B/cancel "));
}

TEST(GatewayTools, WhatWasNotStartedIsGivenUp) {
  ScriptedServer server([](ScriptedConnection& connection, const std::string&) {
    return connection.send(answer_of("never_started", "null"));
  });
  const auto tools = make_gateway_tools({.url = server.url("")}, "talk", 1000, time_of_tests());
  const auto results = tools->settle(kCalls, "key.1", {});
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->size(), 2u);
  EXPECT_EQ((*results)[0].text, "one");
  EXPECT_NE((*results)[1].text.find("never started"), std::string::npos);
  EXPECT_TRUE((*results)[1].is_error);
  const auto request = server.requests().front();
  EXPECT_NE(request.find("inline_ms=1000&start=false "), std::string::npos) << request;
  EXPECT_NE(request.find("Idempotency-Key: key.1"), std::string::npos);
}

TEST(GatewayTools, ARefusalIsAnError) {
  ScriptedServer server([](ScriptedConnection& connection, const std::string&) {
    return connection.send(ScriptedServer::status(404, "Content-Type: application/problem+json\r\n",
                                                  R"({"code":"unknown_session","detail":"gone"})"));
  });
  const auto tools = make_gateway_tools({.url = server.url("")}, "talk", 1000, time_of_tests());
  const auto results = tools->run(kCalls, "key.1", {});
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error().code, ErrorCode::kUnknownSession);
  EXPECT_FALSE(tools->definitions(tools::exports::ModelApi::kOpenAi, {}));
}

TEST(GatewayTools, AsksForTheListAgainWhileTheGatewayIsAway) {
  std::atomic<int> answers = 0;
  ScriptedServer server([&](ScriptedConnection& connection, const std::string&) {
    return connection.send(answers++ == 0 ? ScriptedServer::status(503)
                                          : ScriptedServer::ok(R"({"tools":[{"name":"t"}]})"));
  });
  const auto tools = make_gateway_tools({.url = server.url("")}, "talk", 1000, time_of_tests());
  const auto list = tools->definitions(tools::exports::ModelApi::kOpenAi, {});
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ((*list)->definitions.size(), 1U);
  EXPECT_EQ(answers, 2);
}

TEST(GatewayTools, AStopEndsTheWaitForAGateway) {
  ScriptedServer server([](ScriptedConnection& connection, const std::string&) {
    return connection.send(ScriptedServer::status(503));
  });
  std::stop_source stop;
  stop.request_stop();
  const auto tools = make_gateway_tools({.url = server.url("")}, "talk", 1000, time_of_tests());
  EXPECT_FALSE(tools->definitions(tools::exports::ModelApi::kOpenAi, stop.get_token()));
}

TEST(GatewayTools, NamesToolsForPeople) {
  ScriptedServer server([](ScriptedConnection& connection, const std::string& request) {
    EXPECT_NE(request.find("/v1/sessions/talk/tools?format=toolway"), std::string::npos);
    return connection.send(
        ScriptedServer::ok(R"({"tools":[{"namespace":"files","name":"list"}]})"));
  });
  const auto tools = make_gateway_tools({.url = server.url("")}, "talk", 1000, time_of_tests());
  EXPECT_EQ(tools->shown_name("files__list"), "files.list");
  EXPECT_EQ(tools->shown_name("else"), "else");
}

/// Lists one tool more in each round of a test.
class ListedTools : public testing::Test {
 protected:
  std::string definitions(const std::shared_ptr<KnownTools>& known) {
    box_ = make_gateway_tools({.url = server_.url("")}, "talk", 1000, time_of_tests(), known);
    const auto list = box_->definitions(tools::exports::ModelApi::kOpenAi, {});
    return list ? to_text((*list)->definitions) : list.error().message;
  }
  std::string shown(const std::string& name) { return box_->shown_name(name); }

  std::atomic<int> tools_ = 1;
  std::atomic<int> asked_for_names_ = 0;
  ScriptedServer server_{[this](ScriptedConnection& connection, const std::string& request) {
    const bool names = request.find("format=toolway") != std::string::npos;
    asked_for_names_ += names ? 1 : 0;
    OrderedJson list = OrderedJson::array();
    for (int i = 1; i <= tools_; ++i) {
      const auto name = "t" + std::to_string(i);
      list.push_back(names ? OrderedJson{{"namespace", "ns"}, {"name", name}}
                           : OrderedJson{{"function", {{"name", "ns__" + name}}}});
    }
    return connection.send(ScriptedServer::ok(to_text(OrderedJson{{"tools", list}})));
  }};
  std::unique_ptr<chat::engine::ToolBox> box_;
};

TEST_F(ListedTools, AreReadOnceByAllTurnsUntilTheyChange) {
  const auto known = std::make_shared<KnownTools>();
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(definitions(known), R"([{"function":{"name":"ns__t1"}}])");
    EXPECT_EQ(shown("ns__t1"), "ns.t1");
  }
  EXPECT_EQ(asked_for_names_, 1);
  tools_ = 2;
  EXPECT_EQ(definitions(known),
            R"([{"function":{"name":"ns__t1"}},{"function":{"name":"ns__t2"}}])");
  EXPECT_EQ(shown("ns__t2"), "ns.t2");
  EXPECT_EQ(asked_for_names_, 2);
}

TEST_F(ListedTools, AreAskedForAgainAfterASecond) {
  definitions(std::make_shared<KnownTools>());
  const auto tools = [&] {
    return (*box_->definitions(tools::exports::ModelApi::kOpenAi, {}))->definitions.size();
  };
  tools_ = 2;
  time_of_tests().advance(std::chrono::milliseconds(999));
  EXPECT_EQ(tools(), 1U) << "the requests of a moment have the same";
  time_of_tests().advance(std::chrono::milliseconds(1));
  EXPECT_EQ(tools(), 2U);
}

TEST_F(ListedTools, ATurnSharesTheListOfAnother) {
  const auto known = std::make_shared<KnownTools>();
  const auto api = tools::exports::ModelApi::kOpenAi;
  const auto one =
      make_gateway_tools({.url = server_.url("")}, "talk", 1000, time_of_tests(), known);
  const auto other =
      make_gateway_tools({.url = server_.url("")}, "else", 1000, time_of_tests(), known);
  const auto list = one->definitions(api, {});
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(*list, other->definitions(api, {}).value()) << "the same object";
  EXPECT_EQ((*list)->tokens, chat::window::tokens_of_tools((*list)->definitions, api));
}

TEST_F(ListedTools, NamesOfAnotherMomentAreNotKept) {
  const auto known = std::make_shared<KnownTools>();
  definitions(known);
  tools_ = 2;  // between the two lists
  EXPECT_EQ(shown("ns__t2"), "ns.t2");
  definitions(known);
  EXPECT_EQ(shown("ns__t2"), "ns.t2");
  tools_ = 1;
  definitions(known);
  EXPECT_EQ(shown("ns__t1"), "ns.t1");
  EXPECT_EQ(asked_for_names_, 3) << "of the first list none were kept";
}

TEST(EndedCall, SaysHowACallEnded) {
  const auto of = [](int status, std::string body) {
    return ended_call("A", {.status = status, .body = std::move(body)});
  };
  EXPECT_FALSE(of(200, R"({"outcome":null})"));
  EXPECT_FALSE(of(503, "{}"));
  EXPECT_TRUE(of(404, "{}")->is_error);
  const auto done =
      of(200, R"({"outcome":"succeeded","namespace":"n","tool":"t","result":"text"})");
  EXPECT_EQ(done->name, "n.t");
  EXPECT_EQ(done->text, "text");
  EXPECT_FALSE(done->is_error);
  EXPECT_EQ(of(200, R"({"outcome":"failed","error":{"message":"no"}})")->text, "no");
  EXPECT_EQ(of(200, R"({"outcome":"succeeded","result":"text","result_ref":{"size":9000}})")->text,
            "text\n\n[This is only the beginning: the whole result has 9000 bytes, and is at "
            "/v1/calls/A/result]");
  const auto shown =
      of(200, R"({"outcome":"succeeded","result":null,"content":[{"type":"image","data":")" +
                  base64(chat::test::png(2, 3)) + R"(","mime_type":"image/png"}]})");
  EXPECT_EQ(shown->text, "[image image/png, 29 bytes]");
  ASSERT_EQ(shown->blocks.size(), 1U);
  EXPECT_EQ(shown->blocks.front().width, 2U);
}

TEST(GatewayTools, KnowsWhichCallsNoModelMade) {
  ScriptedServer server([](ScriptedConnection& connection, const std::string& request) {
    const auto call = [](const std::string& more) {
      return ScriptedServer::ok(
          R"({"outcome":"succeeded","namespace":"n","tool":"t","result":"text")" + more + "}");
    };
    for (const char* face : {"model", "mcp", "chat"})
      if (request.starts_with(std::string("GET /v1/calls/") + face + " "))
        return connection.send(call(std::string(R"(,"face":")") + face + "\""));
    if (request.starts_with("GET /v1/calls/gone "))
      return connection.send(ScriptedServer::status(404));
    if (request.starts_with("GET /v1/calls/later "))
      return connection.send(ScriptedServer::status(503));
    return connection.send(call(""));
  });
  const auto tools = make_gateway_tools({.url = server.url("")}, "talk", 1000, time_of_tests());
  const auto ended = tools->made_by_no_model({"model", "A", "mcp", "gone", "chat", "B"});
  ASSERT_TRUE(ended) << ended.error().message;
  ASSERT_EQ(ended->size(), 2U);
  EXPECT_EQ(ended->front().ran_as, "A");
  EXPECT_EQ(ended->front().text, "text");
  EXPECT_EQ(ended->back().ran_as, "B");
  EXPECT_FALSE(tools->made_by_no_model({"A", "later"})) << "it is asked for again";
}

TEST(NewestReport, IsWhatAModelReads) {
  const auto text = [](const OrderedJson& event) {
    const auto found = newest_report("A", {{"events", {event}}});
    return found ? found->text : "none";
  };
  OrderedJson event = {{"id", "7-1"},     {"type", "progress"}, {"namespace", "n"},
                       {"tool", "t"},     {"progress", 3},      {"total", nullptr},
                       {"step", nullptr}, {"message", nullptr}};
  EXPECT_EQ(text(event), "3");
  event["total"] = 10;
  EXPECT_EQ(text(event), "3 of 10");
  event["step"] = "hash";
  event["message"] = "half of it";
  EXPECT_EQ(text(event), "3 of 10, step hash: half of it");
  event["type"] = "log";
  EXPECT_EQ(text(event), "none");
  EXPECT_FALSE(newest_report("A", OrderedJson()));
}

TEST(GatewayTools, FindsTheNewestReportSinceWhatWasTold) {
  ScriptedServer server([](ScriptedConnection& connection, const std::string& request) {
    const auto page = [](std::string_view id, std::string_view progress, bool more) {
      return ScriptedServer::ok(
          fmt::format(R"({{"events":[{{"id":"{}","type":"progress","namespace":"n","tool":"t",)"
                      R"("progress":{}}},{{"id":"9-9","type":"log"}}],"next":"9-9","more":{}}})",
                      id, progress, more));
    };
    if (request.starts_with("GET /v1/calls/gone/"))
      return connection.send(ScriptedServer::status(404));
    return connection.send(request.find("after=9-9 ") == std::string::npos
                               ? page("7-2", "2", true)
                               : page("9-10", "5", false));
  });
  const auto tools = make_gateway_tools({.url = server.url("")}, "talk", 1000, time_of_tests());
  const auto found = tools->progress({{"A", "7-1"}, {"gone", ""}});
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().name, "n.t");
  EXPECT_EQ(found->front().text, "5");
  EXPECT_EQ(found->front().told, (tools::messages::ToldProgress{"A", "9-10"}));
  EXPECT_TRUE(server.requests()[0].starts_with("GET /v1/calls/A/events?limit=1000&after=7-1 "));
  EXPECT_TRUE(server.requests()[2].starts_with("GET /v1/calls/gone/events?limit=1000 "));
}

TEST(ResultsIn, TakesWhatIsThere) {
  EXPECT_TRUE(results_in(OrderedJson()).empty());
  EXPECT_TRUE(results_in({{"results", OrderedJson::array()}}).empty());
}

}  // namespace
}  // namespace toolway::cli::talk
