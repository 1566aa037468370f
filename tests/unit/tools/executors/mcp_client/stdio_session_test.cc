#include "tools/executors/mcp_client/stdio_session.h"

#include <gtest/gtest.h>

namespace toolway::tools::executors::mcp_client {
namespace {

using namespace std::chrono_literals;
using mcp::Revision;

class StdioSessionTest : public testing::Test {
 protected:
  StdioSession session{{.client = {"toolway", "1"}, .start_timeout = 9s}};
  MonotonicTime now{};

  StdioSession::Turn take(const std::string& line) { return session.take(line, now); }
  std::string answer(int id, const std::string& result) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + result + "}";
  }
  std::string error(int id, int code) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"error":{"code":)" +
           std::to_string(code) + R"(,"message":"no"}})";
  }
  static std::string method(const std::string& line) {
    return parse_json(line)->value("method", "");
  }
  static std::int64_t id(const std::string& line) { return parse_json(line)->value("id", 0); }

  /// Speaks 2025-11-25 and has an empty list.
  void open() {
    session.begin(now);
    take(error(1, -32601));
    const auto turn = take(answer(
        2,
        R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s"}})"));
    ASSERT_TRUE(turn.ready);
    take(answer(3, R"({"tools":[]})"));
  }
};

TEST_F(StdioSessionTest, ProbesThenListensAndListsWithAServerOfToday) {
  const auto begun = session.begin(now);
  ASSERT_EQ(begun.send.size(), 1U);
  EXPECT_EQ(method(begun.send[0]), "server/discover");
  const auto turn = take(answer(
      1, R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}})"));
  EXPECT_TRUE(turn.ready);
  ASSERT_EQ(turn.send.size(), 2U);
  EXPECT_EQ(method(turn.send[0]), "subscriptions/listen");
  EXPECT_EQ(method(turn.send[1]), "tools/list");
  EXPECT_EQ(session.revision(), Revision::k2026_07_28);
  EXPECT_EQ(session.opening(), mcp::Opening::kEachRequest);
}

TEST_F(StdioSessionTest, FallsBackToAHandshakeOnAnErrorAndOnSilence) {
  session.begin(now);
  const auto refused = take(error(1, -32601));
  ASSERT_EQ(refused.send.size(), 1U);
  EXPECT_EQ(method(refused.send[0]), "initialize");
  StdioSession silent({.client = {"toolway", "1"}, .start_timeout = 9s});
  silent.begin(now);
  EXPECT_EQ(silent.next_time(), now + 3s);
  EXPECT_TRUE(silent.pass(now + 2s).send.empty());
  EXPECT_EQ(method(silent.pass(now + 3s).send.at(0)), "initialize");
  EXPECT_TRUE(silent.pass(now + 12s).failed) << "and is given up when that is not answered either";
}

TEST_F(StdioSessionTest, ALateAnswerToDiscoverStillCounts) {
  session.begin(now);
  ASSERT_EQ(method(session.pass(now + 3s).send.at(0)), "initialize");
  // As the SDK of 2026-07-28 answers what it finds waiting once it has started.
  const auto turn =
      take(answer(1, R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})"));
  EXPECT_TRUE(turn.ready);
  EXPECT_EQ(method(turn.send.at(0)), "tools/list");
  EXPECT_FALSE(take(error(2, mcp::kUnsupportedRevision)).failed);
  EXPECT_TRUE(take(answer(3, R"({"tools":[]})")).listed);
  EXPECT_EQ(session.revision(), Revision::k2026_07_28);
  EXPECT_EQ(session.opening(), mcp::Opening::kEachRequest)
      << "and the next start begins with discover";
}

TEST_F(StdioSessionTest, ARefusedHandshakeWaitsForTheAnswerToDiscover) {
  session.begin(now);
  session.pass(now + 3s);
  const auto refused = take(error(2, mcp::kUnsupportedRevision));
  EXPECT_FALSE(refused.failed);
  EXPECT_TRUE(refused.send.empty()) << "discover is in progress";
  EXPECT_EQ(session.opening(), mcp::Opening::kEachRequest);
  EXPECT_TRUE(take(answer(1, R"({"supportedVersions":["2026-07-28"],"capabilities":{}})")).ready);
}

TEST_F(StdioSessionTest, OneTakenForOldThatRefusesTheHandshakeIsAskedOnTheSameConnection) {
  StdioSession believed_old(
      {.client = {"toolway", "1"}, .start_timeout = 9s, .opening = mcp::Opening::kHandshake});
  ASSERT_EQ(method(believed_old.begin(now).send.at(0)), "initialize");
  const auto refused = believed_old.take(error(1, mcp::kUnsupportedRevision), now);
  ASSERT_EQ(refused.send.size(), 1U);
  EXPECT_EQ(method(refused.send[0]), "server/discover");
  EXPECT_TRUE(
      believed_old.take(answer(2, R"({"supportedVersions":["2026-07-28"],"capabilities":{}})"), now)
          .ready);
}

TEST_F(StdioSessionTest, OneThatRefusesBothIsGivenUpWithItsReason) {
  session.begin(now);
  take(error(1, -32601));
  const auto both = take(error(2, mcp::kUnsupportedRevision));
  ASSERT_TRUE(both.failed);
  EXPECT_NE(both.failed->find("-32022"), std::string::npos) << *both.failed;
  StdioSession silent({.client = {"toolway", "1"}, .start_timeout = 9s});
  silent.begin(now);
  silent.pass(now + 3s);
  EXPECT_FALSE(silent.take(error(2, mcp::kUnsupportedRevision), now + 4s).failed);
  EXPECT_FALSE(silent.pass(now + 11s).failed);
  EXPECT_TRUE(silent.pass(now + 12s).failed) << "nor does it answer discover";
}

TEST_F(StdioSessionTest, AHandshakeThatWorkedIsNotUndoneByALateDiscover) {
  session.begin(now);
  session.pass(now + 3s);
  EXPECT_TRUE(
      take(answer(2, R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}}})")).ready);
  const auto late = take(answer(1, R"({"supportedVersions":["2026-07-28"],"capabilities":{}})"));
  EXPECT_FALSE(late.ready || late.failed);
  EXPECT_TRUE(late.send.empty());
  EXPECT_EQ(session.revision(), Revision::k2025_11_25);
}

TEST_F(StdioSessionTest, AnAnswerToRequestZeroOpensNothing) {
  session.begin(now);
  take(error(1, -32601));
  EXPECT_FALSE(take(answer(0, R"({"supportedVersions":["2026-07-28"],"capabilities":{}})")).ready);
}

TEST_F(StdioSessionTest, OneThatDiedWhenProbedIsTakenForAnOldOne) {
  session.begin(now);
  StdioSession next({.client = {"toolway", "1"}, .opening = session.opening()});
  EXPECT_EQ(method(next.begin(now).send.at(0)), "initialize");
}

TEST_F(StdioSessionTest, AnUnknownRevisionIsRefused) {
  session.begin(now);
  take(error(1, -32601));
  const auto turn = take(answer(2, R"({"protocolVersion":"1999-01-01"})"));
  ASSERT_TRUE(turn.failed);
  EXPECT_NE(turn.failed->find("1999-01-01"), std::string::npos);
}

TEST_F(StdioSessionTest, AListOfSeveralPagesIsPutTogether) {
  session.begin(now);
  take(error(1, -32601));
  take(answer(2, R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{}}})"));
  const auto first = take(
      answer(3, R"({"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"p2"})"));
  ASSERT_FALSE(first.listed);
  EXPECT_EQ(parse_json(first.send.at(0))->at("params").at("cursor"), "p2");
  const auto second =
      take(answer(4, R"({"tools":[{"name":"b","inputSchema":{"type":"object"}}]})"));
  ASSERT_TRUE(second.listed);
  EXPECT_EQ(second.listed->tools.size(), 2U);
  EXPECT_EQ(session.next_time(), MonotonicTime::max());
}

TEST_F(StdioSessionTest, ACursorThatComesAgainIsNotAList) {
  session.begin(now);
  take(error(1, -32601));
  take(answer(2, R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{}}})"));
  take(answer(3, R"({"tools":[],"nextCursor":"p2"})"));
  const auto again = take(answer(4, R"({"tools":[],"nextCursor":"p2"})"));
  EXPECT_FALSE(again.listed);
  EXPECT_EQ(again.warnings.size(), 1U);
  EXPECT_TRUE(session.ready()) << "its calls work all the same";
}

TEST_F(StdioSessionTest, AnyNumberOfChangesLeadsToOneListAtATime) {
  open();
  const std::string changed = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
  const auto first = take(changed);
  ASSERT_EQ(first.send.size(), 1U);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(take(changed).send.empty());
  const auto listed = take(answer(static_cast<int>(id(first.send[0])), R"({"tools":[]})"));
  EXPECT_TRUE(listed.listed);
  EXPECT_TRUE(listed.send.empty());
  EXPECT_EQ(session.next_time(), now + 1s);
  EXPECT_TRUE(session.pass(now + 999ms).send.empty());
  const auto again = session.pass(now + 1s);
  ASSERT_EQ(again.send.size(), 1U) << "once more, for what came in between";
  now += 1s;
  EXPECT_TRUE(take(answer(static_cast<int>(id(again.send[0])), R"({"tools":[]})")).listed);
  EXPECT_EQ(session.next_time(), MonotonicTime::max()) << "and nothing after that";
}

TEST_F(StdioSessionTest, AChangeDuringAListThatFailsIsNotForgotten) {
  open();
  const std::string changed = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
  const auto first = take(changed);
  take(changed);
  EXPECT_EQ(take(error(static_cast<int>(id(first.send.at(0))), -32603)).warnings.size(), 1U);
  EXPECT_EQ(session.pass(now + 1s).send.size(), 1U);
}

TEST_F(StdioSessionTest, OneThatDoesNotReadIsAskedForNothingMore) {
  open();
  const std::string changed = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
  const auto first = take(changed);
  ASSERT_EQ(first.send.size(), 1U);
  session.all_written(false);
  EXPECT_TRUE(session.pass(now + 9s).send.empty()) << "the list is given up";
  now += 9s;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(take(changed).send.empty());
    EXPECT_EQ(session.next_time(), now + 1s);
    now += 1s;
    EXPECT_TRUE(session.pass(now).send.empty()) << "its first request waits";
  }
  session.all_written(true);
  EXPECT_EQ(session.pass(now + 1s).send.size(), 1U);
}

TEST_F(StdioSessionTest, OneThatAnswersWhatItHasNotReadIsUnusable) {
  open();
  const auto asked = take(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  session.all_written(false);
  const auto turn =
      take(answer(static_cast<int>(id(asked.send.at(0))), R"({"tools":[],"nextCursor":"p2"})"));
  EXPECT_TRUE(turn.send.empty());
  ASSERT_TRUE(turn.failed);
  EXPECT_NE(turn.failed->find("has yet to read"), std::string::npos) << *turn.failed;
}

TEST_F(StdioSessionTest, AnswersGoToTheirCallsInAnyOrderAndOthersNowhere) {
  open();
  const auto first = session.call({.name = "a"});
  const auto second = session.call({.name = "b"});
  EXPECT_NE(first.id, second.id);
  EXPECT_EQ(take(answer(static_cast<int>(second.id), R"({"content":[]})")).answers.at(0).id,
            second.id);
  EXPECT_EQ(take(error(static_cast<int>(first.id), -32602)).answers.at(0).id, first.id);
  const auto unknown = take(answer(4711, "{}"));
  EXPECT_TRUE(unknown.answers.empty());
  EXPECT_FALSE(unknown.nonsense);
  EXPECT_EQ(unknown.warnings.size(), 1U);
}

TEST_F(StdioSessionTest, NonsenseNamesTheRequestItSeemsToAnswer) {
  open();
  EXPECT_EQ(take(R"({"jsonrpc":"2.0","id":9,"result":{]})").nonsense->id, 9);
  EXPECT_FALSE(take(R"({"jsonrpc":"2.0",]})").nonsense->id);
  EXPECT_TRUE(take(R"([{"jsonrpc":"2.0","id":9,"result":{}}])").nonsense);
  EXPECT_FALSE(take("Hello, I am a server").nonsense) << "a greeting does no harm";
  EXPECT_EQ(session.take_too_long(R"({"jsonrpc":"2.0","id":12,"res)", 1 << 30, now).nonsense->id,
            12);
}

TEST_F(StdioSessionTest, WhatServersAskIsRefusedWhereTheyMayAsk) {
  open();
  const auto asked =
      take(R"({"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{}})");
  ASSERT_EQ(asked.replies.size(), 1U);
  EXPECT_EQ(parse_json(asked.replies[0])->at("error").at("code"), mcp::kMethodNotFound);
  EXPECT_EQ(
      parse_json(take(R"({"jsonrpc":"2.0","id":1,"method":"ping"})").replies.at(0))->at("result"),
      Json::object());
  StdioSession modern({.client = {"toolway", "1"}});
  modern.begin(now);
  modern.take(answer(1, R"({"supportedVersions":["2026-07-28"],"capabilities":{}})"), now);
  EXPECT_TRUE(modern.take(R"({"jsonrpc":"2.0","id":"s","method":"ping"})", now).replies.empty());
}

TEST_F(StdioSessionTest, QuestionsAreHandedOnAndTheRestRefused) {
  StdioSession asking(
      {.client = {"toolway", "1"}, .opening = mcp::Opening::kHandshake, .asks = {.form = true}});
  const auto begun = asking.begin(now);
  EXPECT_EQ(parse_json(begun.send.at(0))->at("params").at("capabilities"),
            Json({{"elicitation", {{"form", Json::object()}}}}));
  const std::string question =
      R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?"}})";
  EXPECT_EQ(asking.take(question, now).replies.size(), 1U) << "before they have agreed";
  asking.take(answer(1, R"({"protocolVersion":"2025-11-25","capabilities":{}})"), now);
  const auto asked = asking.take(question, now);
  ASSERT_EQ(asked.asked.size(), 1U);
  EXPECT_TRUE(asked.replies.empty());
  const auto other =
      asking.take(R"({"jsonrpc":"2.0","id":"s","method":"sampling/createMessage"})", now);
  EXPECT_EQ(other.asked.size(), 1U) << "its call refuses that, and counts it";
  EXPECT_EQ(asking.take(R"({"jsonrpc":"2.0","id":"s","method":"tasks/list"})", now).replies.size(),
            1U);
  const auto withdrawn = asking.take(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}})", now);
  EXPECT_EQ(withdrawn.withdrawn, std::vector<mcp::RequestId>{"q"});
}

TEST_F(StdioSessionTest, ProgressIsHandedOn) {
  open();
  const auto call = session.call({.name = "a"});
  const auto turn =
      take(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
           std::to_string(call.id) + R"(,"progress":1}})");
  ASSERT_EQ(turn.progress.size(), 1U);
  EXPECT_EQ(turn.progress[0].token, mcp::RequestId(call.id));
}

TEST_F(StdioSessionTest, OneThatIsSlowToStartIsSaidToBeStartingEverLessOften) {
  StdioSession slow({.client = {"toolway", "1"}});
  slow.begin(now);
  EXPECT_FALSE(slow.pass(now + 3s).starting) << "initialize is sent";
  EXPECT_EQ(slow.next_time(), now + 5s);
  EXPECT_EQ(slow.pass(now + 5s).starting, 5s);
  EXPECT_FALSE(slow.pass(now + 9s).starting);
  EXPECT_EQ(slow.pass(now + 10s).starting, 10s);
  EXPECT_EQ(slow.next_time(), now + 20s);
  EXPECT_TRUE(
      slow.take(answer(2, R"({"protocolVersion":"2025-06-18","capabilities":{}})"), now + 19s)
          .ready);
  EXPECT_EQ(slow.next_time(), MonotonicTime::max());
  EXPECT_FALSE(slow.pass(now + 20s).starting);
}

TEST_F(StdioSessionTest, AnAnswerToTheHandshakeThatIsNotAMessageEndsItAtOnce) {
  session.begin(now);
  take(error(1, -32601));
  const auto turn = take(R"({"id":2,"result":{"protocolVersion":"2025-06-18"}})");
  ASSERT_TRUE(turn.failed);
  EXPECT_NE(turn.failed->find("answer to initialize is not a message"), std::string::npos);
  StdioSession long_winded({.client = {"toolway", "1"}});
  long_winded.begin(now);
  long_winded.take(error(1, -32601), now);
  EXPECT_TRUE(long_winded.take_too_long(R"({"jsonrpc":"2.0","id":2,"res)", 1 << 30, now).failed);
}

TEST_F(StdioSessionTest, AnAnswerToDiscoverThatIsNotAMessageLeadsToAHandshake) {
  session.begin(now);
  EXPECT_EQ(method(take(R"({"id":1,"error":"what?"})").send.at(0)), "initialize");
}

TEST_F(StdioSessionTest, WhatItSaidInsteadOfAnAnswerIsTheReason) {
  session.begin(now);
  take("Listening on port 3000");
  session.pass(now + 3s);
  const auto turn = session.pass(now + 12s);
  ASSERT_TRUE(turn.failed);
  EXPECT_NE(turn.failed->find("Listening on port 3000"), std::string::npos) << *turn.failed;
  StdioSession json({.client = {"toolway", "1"}, .start_timeout = 9s});
  json.begin(now);
  EXPECT_FALSE(json.take(R"({"level":30,"msg":"started"})", now).failed) << "a log, and no answer";
  json.pass(now + 3s);
  EXPECT_NE(json.pass(now + 12s).failed->find("not a message"), std::string::npos);
}

TEST_F(StdioSessionTest, AListThatIsAnErrorOrNonsenseIsSaidAtOnce) {
  open();
  const std::string changed = R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";
  const auto first = static_cast<int>(id(take(changed).send.at(0)));
  EXPECT_NE(take(error(first, -32603)).unlisted->find("-32603"), std::string::npos);
  now += 1s;
  const auto second = std::to_string(id(take(changed).send.at(0)));
  const auto turn = take(R"({"id":)" + second + R"(,"result":{"tools":[]}})");
  ASSERT_TRUE(turn.unlisted);
  EXPECT_FALSE(turn.nonsense) << "no call is blamed for it";
  EXPECT_TRUE(session.ready());
}

}  // namespace
}  // namespace toolway::tools::executors::mcp_client
