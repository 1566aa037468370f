// What the simulation's checker says of histories of conversations that were made by hand.
#include "tests/simulation/turns/turn_checker.h"

#include "persistence/conversations/postgres_conversations.h"
#include "tests/unit/simulation/told_story.h"
#include "tools/messages/history.h"

namespace toolway::simulation::turns {
namespace {

using conversations::Writer;

const Writer kFirst{"t1", 1};
const Writer kSecond{"t2", 1};

/// A turn of the user whose one call outlives it, and the turn in which its end is told.
struct CheckTurns : testing::Test {
  /// The user's message of turn t1, which has the conversation.
  void begin() {
    story.turn("t1", "hello");
    story.take(kFirst);
    story.add(kFirst, Story::user("hello"),
              {.detached = {}, .told = {}, .begun = {{.wakes = true, .on_behalf = "u"}}});
  }
  /// A call of message 2, which is running when its results are stored.
  void leave_running(const std::string& call) {
    story.add(kFirst, Story::kCall);
    story.call(call, 2);
    story.add(kFirst, Story::result(call, Story::kDetached), {.detached = {call}, .told = {}});
  }
  /// Turn t2, which completions begin.
  void wake() {
    story.turn("t2", "");
    story.take(kSecond);
  }

  Story story;
};

TEST_F(CheckTurns, FindsNothingInARightHistory) {
  begin();
  leave_running("a");
  story.reply(kFirst);
  story.succeed("t1", 4);
  story.end("a");
  wake();
  story.add(kSecond, Story::told("a"));
  story.add(kSecond, Story::kCalls);
  story.call("b", 6, 0, "t2");
  story.call("c", 6, 1, "t2");
  story.end("b");
  story.end("c");
  story.add(
      kSecond,
      R"({"role":"results","results":[{"call_id":"c0","ran_as":"b"},{"call_id":"c1","ran_as":"c"}]})");
  story.reply(kSecond);
  story.succeed("t2", 8);
  EXPECT_EQ(story.found_at_end(), "");
  EXPECT_EQ(story.checker.messages(), 8U);
}

TEST_F(CheckTurns, TakesACrashForWhatItIs) {
  begin();
  story.tables.ask_to_stop(story.owner);  // waits for the disk
  auto later = story.next(Story::kReply);
  later.kept = conversations::Kept::kWithNext;
  ASSERT_TRUE(story.tables.append(story.conversation, kFirst, later, {}, {}));
  story.tell(kFirst, later);
  story.crash();
  EXPECT_EQ(story.head, 1U);
  story.reply({"t1", 1});
  story.succeed("t1", 2);
  EXPECT_EQ(story.found_at_end(), "");
}

TEST_F(CheckTurns, FindsAnOldAttemptThatWrites) {
  begin();
  story.checker.taken(story.conversation, {"t1", 3}, "p");
  story.checker.taken(story.conversation, {"t1", 2}, "p");
  EXPECT_EQ(story.found(), "") << "it may find the reply of the newer one";
  story.tell({"t1", 2}, story.next(Story::kReply));
  EXPECT_EQ(story.found(), story.conversation +
                               ": message 2 is of t1 attempt 2, and attempt 3 has had the "
                               "conversation\n");
}

TEST_F(CheckTurns, FindsAWriterThatDoesNotHaveIt) {
  begin();
  story.tell({"t1", 2}, story.next(Story::kReply));
  EXPECT_EQ(story.found(),
            story.conversation +
                ": message 2 is of t1 attempt 2, but t1 attempt 1 has the conversation\n");
}

TEST_F(CheckTurns, FindsAMessageAfterTheLastOne) {
  begin();
  story.reply(kFirst);
  story.tell(kFirst, story.next(Story::kReply));
  EXPECT_EQ(
      story.found(),
      story.conversation + ": message 3 is of t1 attempt 1, but no turn has the conversation\n");
}

TEST_F(CheckTurns, FindsANumberThatDoesNotFollow) {
  for (const std::uint64_t number : {1, 3}) {
    Story apart;
    apart.turn("t1", "hello");
    apart.take(kFirst);
    apart.add(kFirst, Story::user("hello"));
    auto message = apart.next(Story::kReply);
    message.number = number;
    apart.tell(kFirst, message);
    EXPECT_EQ(apart.found(),
              fmt::format("{}: message {} of t1 attempt 1 was added where 1 messages are\n",
                          apart.conversation, number));
  }
}

TEST_F(CheckTurns, FindsResultsWithoutCallsAndCallsWithoutResults) {
  begin();
  story.tell(kFirst, story.next(Story::result("a")));
  EXPECT_EQ(story.found(), story.conversation + ": results follows user at 2\n");
  Story other;
  other.turn("t1", "hello");
  other.take(kFirst);
  other.add(kFirst, Story::user("hello"));
  other.add(kFirst, Story::kCall);
  other.tell(kFirst, other.next(Story::kReply));
  EXPECT_EQ(other.found(), other.conversation + ": assistant follows assistant at 3\n");
}

TEST_F(CheckTurns, FindsResultsOfOtherCalls) {
  for (const char* const results :
       {R"([{"call_id":"c0"}])", R"([{"call_id":"c1"},{"call_id":"c0"}])",
        R"([{"call_id":"c0"},{"call_id":"c1"},{"call_id":"c2"}])", "[]"}) {
    Story apart;
    apart.turn("t1", "hello");
    apart.take(kFirst);
    apart.add(kFirst, Story::user("hello"));
    apart.add(kFirst, Story::kCalls);
    apart.tell(kFirst, apart.next(fmt::format(R"({{"role":"results","results":{}}})", results)));
    EXPECT_EQ(apart.found(),
              apart.conversation + ": the results at 3 are not those of the calls before them\n")
        << results;
  }
}

TEST_F(CheckTurns, FindsAResultOfAnotherKey) {
  begin();
  story.add(kFirst, Story::kCall);
  story.call("a", 1);
  story.end("a");
  story.tell(kFirst, story.next(Story::result("a")));
  EXPECT_EQ(story.found(),
            fmt::format("{0}: a result under key {0}.1#0 is of call a, whose key is {0}.0#0\n",
                        story.conversation));
}

TEST_F(CheckTurns, FindsACallThatAnotherTurnHasStarted) {
  begin();
  story.add(kFirst, Story::kCall);
  story.call("a", 2, 0, "t2");
  story.end("a");
  story.tell(kFirst, story.next(Story::result("a")));
  EXPECT_EQ(story.found(), story.conversation + ": call a of t1 was started by t2\n");
}

TEST_F(CheckTurns, FindsAResultOfNoCall) {
  begin();
  story.add(kFirst, Story::kCall);
  story.tell(kFirst, story.next(Story::result("a")));
  EXPECT_EQ(story.found(),
            fmt::format("{0}: a result under key {0}.1#0 is of call a, whose key is not known\n",
                        story.conversation));
}

TEST_F(CheckTurns, FindsAResultOfACallThatRuns) {
  begin();
  story.add(kFirst, Story::kCall);
  story.call("a", 2);
  story.tell(kFirst, story.next(Story::result("a")));
  EXPECT_EQ(story.found(), story.conversation + ": call a has a result, and has not ended\n");
}

/// The results of a call of message 2, as `what` has it.
std::string interrupted(tools::messages::Interruption what) {
  const Json result = {{"call_id", "c0"},
                       {"text", tools::messages::interrupted_result("c0", what).text}};
  return Json{{"role", "results"}, {"results", Json::array({result})}}.dump();
}

TEST_F(CheckTurns, FindsACallThatStartedAndIsSaidNotToHave) {
  begin();
  story.add(kFirst, Story::kCall);
  story.add(kFirst, interrupted(tools::messages::Interruption::kNeverStarted));
  EXPECT_EQ(story.found(), "") << "no call has the key";
  story.add(kFirst, Story::kCall);
  story.call("a", 4);
  story.tell(kFirst, story.next(interrupted(tools::messages::Interruption::kNeverStarted)));
  EXPECT_EQ(
      story.found(),
      fmt::format("{0}: a result says that the call under key {0}.3#0 never started: it is a\n",
                  story.conversation));
}

TEST_F(CheckTurns, FindsResultsThatAreMadeUp) {
  const auto unknown = interrupted(tools::messages::Interruption::kUnknown);
  for (const bool asked_to_stop : {false, true}) {
    Story apart;
    apart.turn("t1", "hello");
    apart.take(kFirst);
    apart.add(kFirst, Story::user("hello"));
    apart.add(kFirst, Story::kCall);
    if (asked_to_stop) apart.checker.told_to_stop(kFirst);
    apart.add(kFirst, unknown);
    EXPECT_EQ(apart.found(), asked_to_stop
                                 ? ""
                                 : apart.conversation +
                                       ": t1 attempt 1, which no one asked to stop, does not know "
                                       "results of its calls\n");
  }
}

TEST_F(CheckTurns, FindsResultsThatWereNotAskedFor) {
  begin();
  story.add(kFirst, Story::kCall);
  story.attempts.stopped.insert(kFirst);
  story.add(kFirst, interrupted(tools::messages::Interruption::kUnknown));
  EXPECT_EQ(story.found_at_end(), "") << "it runs";
  auto& turn = story.calls.all["t1"];
  turn.ended = turn.stopped = true;
  turn.attempt = 1;
  EXPECT_EQ(story.found_at_end(), "") << "it was stopped";
  turn.stopped = false;
  turn.attempt = 2;
  EXPECT_EQ(story.found_at_end(), "") << "its process was killed";
  turn.attempt = 1;
  EXPECT_EQ(story.found_at_end(),
            story.conversation +
                ": t1 attempt 1 went on to its end, and does not know results of its calls\n");
}

TEST_F(CheckTurns, FindsAnEndThatIsToldTwice) {
  begin();
  leave_running("a");
  story.end("a");
  story.add(kFirst, Story::told("a"));
  EXPECT_EQ(story.found(), "");
  story.tell(kFirst, story.next(Story::told("a")));
  EXPECT_EQ(story.found(), story.conversation + ": the end of a is told twice\n");
}

TEST_F(CheckTurns, FindsAnEndThatIsToldBeforeItCame) {
  begin();
  leave_running("a");
  story.tell(kFirst, story.next(Story::told("a")));
  EXPECT_EQ(story.found(), story.conversation + ": the end of a is told, which has not ended\n");
}

TEST_F(CheckTurns, FindsAnEndOfWhatNoMessageSaysIsRunning) {
  begin();
  story.call("a", 9);
  story.end("a");
  story.calls.all["of user"] = {.key = {}, .ended = true};
  story.tell(kFirst, story.next(Story::told("of user")));
  EXPECT_EQ(story.found(), "") << "no turn made it";
  story.tell(kFirst, story.next(Story::told("a")));
  EXPECT_EQ(story.found(),
            story.conversation + ": the end of a is told, which no message says is running\n");
}

TEST_F(CheckTurns, FindsAUsersMessageOfAnotherTurn) {
  story.turn("t1", "hello");
  story.take(kFirst);
  story.tell(kFirst, story.next(Story::user("good-bye")));
  EXPECT_EQ(story.found(),
            story.conversation + ": t1 attempt 1 stores a user's message that is not its own\n");
}

TEST_F(CheckTurns, FindsAUsersMessageThatIsStoredAgain) {
  begin();
  story.take({"t1", 2});
  story.tell({"t1", 2}, story.next(Story::user("hello")));
  EXPECT_EQ(story.found(), story.conversation + ": t1 attempt 2 stores its user's message again\n");
}

TEST_F(CheckTurns, FindsAMessageThatIsNotInTheStore) {
  begin();
  story.tell(kFirst, story.next(Story::kReply));
  EXPECT_EQ(story.found_at_end(), story.conversation + ": it has 1 messages, and 2 were added\n");
}

TEST_F(CheckTurns, FindsAnEndThatIsNeverTold) {
  begin();
  leave_running("a");
  story.reply(kFirst);
  EXPECT_EQ(story.found_at_end(), "") << "it runs";
  story.end("a");
  EXPECT_EQ(story.found_at_end(), story.conversation + ": the end of a was never told\n");
}

TEST_F(CheckTurns, ExpectsNoEndToBeToldWhereNoTurnMayBegin) {
  begin();
  leave_running("a");
  story.reply(kFirst);
  story.end("a");
  for (int i = 0; i < conversations::kMaxAutoTurns; ++i)
    story.tables.count_auto_turn(story.conversation);
  EXPECT_EQ(story.found_at_end(), "") << "five have begun";
  Story other;
  other.turn("t1", "hello");
  other.take(kFirst);
  other.add(kFirst, Story::user("hello"));
  other.add(kFirst, Story::kCall);
  other.call("a", 2);
  other.add(kFirst, Story::result("a", Story::kDetached), {.detached = {"a"}, .told = {}});
  other.end("a");
  EXPECT_EQ(other.found_at_end(), "") << "the user did not ask for it";
}

TEST_F(CheckTurns, FindsTooManyTurnsWithoutTheUser) {
  begin();
  story.reply(kFirst);
  for (int i = 0; i < conversations::kMaxAutoTurns; ++i) {
    const Writer writer{fmt::format("auto{}", i), 1};
    story.turn(writer.turn, "");
    story.take(writer);
    story.reply(writer);
  }
  EXPECT_EQ(story.found_at_end(), "");
  const Writer one_more{"auto", 1};
  story.turn(one_more.turn, "");
  story.take(one_more);
  story.reply(one_more);
  EXPECT_EQ(story.found_at_end(), story.conversation + ": 6 turns without a message of the user\n");
}

TEST_F(CheckTurns, FindsAReplyThatIsLost) {
  begin();
  story.tables.ask_to_stop(story.owner);
  auto reply = story.next(Story::kReply);
  reply.kept = conversations::Kept::kWithNext;
  ASSERT_TRUE(story.tables.append(story.conversation, kFirst, reply, {}, {}));
  story.tell(kFirst, reply);
  story.succeed("t1", 2);
  story.crash();
  EXPECT_EQ(story.found_at_end(), "the reply of t1 is not in its conversation\n");
}

TEST_F(CheckTurns, FindsAReplyOfAnotherTurn) {
  begin();
  story.reply(kFirst);
  story.turn("t2", "and?");
  story.take(kSecond);
  story.add(kSecond, Story::user("and?"));
  story.reply(kSecond);
  story.succeed("t1", 4);
  story.succeed("t2", 4);
  EXPECT_EQ(story.found_at_end(),
            fmt::format("message 4 of {} is not the reply of t1\n", story.conversation));
}

TEST_F(CheckTurns, FindsAUsersMessageInPlaceOfTheReply) {
  begin();
  story.reply(kFirst);
  story.succeed("t1", 1);
  EXPECT_EQ(story.found_at_end(),
            fmt::format("message 1 of {} is not the reply of t1\n", story.conversation));
}

TEST_F(CheckTurns, FindsAReplyWithoutItsQuestion) {
  story.turn("t1", "hello");
  story.take(kFirst);
  story.reply(kFirst);
  story.succeed("t1", 1);
  EXPECT_EQ(story.found_at_end(),
            fmt::format("t1 has 0 messages of the user in {}\n", story.conversation));
}

}  // namespace
}  // namespace toolway::simulation::turns
