// What the simulation's checker says of the order of turns, of histories that were made by hand.
#include "tests/simulation/turns/order_checker.h"

#include "tests/unit/simulation/told_story.h"

namespace toolway::simulation::turns {
namespace {

using conversations::Taken;
using conversations::Writer;
using std::chrono::seconds;

const Writer kFirst{"t1", 1};
const Writer kSecond{"t2", 1};

struct CheckOrder : testing::Test {
  /// A turn whose message is stored in CALLS now, and whose attempts have begun.
  void accept(const std::string& turn, std::uint64_t sequence) {
    calls.all[turn] = {.key = {}, .is_turn = true, .started = {1, 2}};
    calls.messages.push_back({turn, {{.sequence = sequence, .at = world.now()}}});
  }
  /// A turn comes to a door.
  void come(const std::string& turn, std::uint64_t place, Taken answer = Taken::kTaken) {
    order.arrived({{owner, turn, place}}, {{answer, 0}});
  }
  void take(const Writer& writer) {
    order.taken(owner.session_key, writer);
    tables.take(owner, writer, world.now());
  }
  void pass(Micros time) {
    world.after(time, [] {});
    world.step(world.now() + time);
  }
  std::string found() const {
    std::string lines;
    for (const auto& one : world.violations()) lines += one + "\n";
    return lines;
  }

  const conversations::Owner owner{"default", "s"};
  World world{1, Trace::kOff};
  ToldCalls calls;
  ToldAttempts attempts;
  NothingRecorded recorded;
  ConversationTables tables{recorded};
  OrderChecker order{world, calls, attempts};
};

TEST_F(CheckOrder, FindsNothingWhereTurnsComeInTheirOrder) {
  accept("t1", 10);
  accept("t2", 11);
  come("t2", 11, Taken::kBusy);
  come("t1", 10);
  take(kFirst);
  take({"t1", 2});
  order.released("s", {"t1", 2});
  take(kSecond);
  EXPECT_EQ(found(), "");
}

TEST_F(CheckOrder, FindsATurnThatComesBeforeOneThatWaits) {
  accept("t1", 10);
  accept("t2", 11);
  come("t1", 10);
  come("t2", 11);
  pass(seconds(119));
  take(kSecond);
  EXPECT_EQ(found(),
            "t2 attempt 1, accepted as 11, was given the conversation before t1, accepted as 10\n");
}

TEST_F(CheckOrder, WaitsForNoTurnOfWhichNothingIsHeard) {
  accept("t1", 10);
  accept("t2", 11);
  come("t1", 10);
  pass(seconds(120));
  take(kSecond);
  EXPECT_EQ(found(), "");
}

TEST_F(CheckOrder, HearsOfATurnThatAsksForItsConversation) {
  accept("t1", 10);
  accept("t2", 11);
  come("t1", 10);
  pass(seconds(60));
  order.waits("s", kFirst, Taken::kBusy);
  pass(seconds(60));
  take(kSecond);
  EXPECT_NE(found(), "");
}

TEST_F(CheckOrder, FindsATurnThatComesBeforeOneThatIsOnItsWay) {
  accept("t1", 10);
  accept("t2", 11);
  pass(seconds(109));
  take(kSecond);
  EXPECT_EQ(found(),
            "t2 attempt 1, accepted as 11, was given the conversation before t1, accepted as 10\n");
}

TEST_F(CheckOrder, LooksForNoMessageThatIsOldOrGoneOrOfATurnThatHasEnded) {
  accept("t1", 10);
  pass(seconds(120));
  accept("t2", 11);
  take(kSecond);
  EXPECT_EQ(found(), "") << "it is old";
  order.released("s", kSecond);
  accept("t3", 12);
  accept("t4", 13);
  calls.messages[2].messages[0].kept = false;
  take({"t4", 1});
  EXPECT_EQ(found(), "") << "it has left the stream";
  order.released("s", {"t4", 1});
  accept("t5", 14);
  accept("t6", 15);
  calls.all["t5"].ended = true;
  take({"t6", 1});
  EXPECT_EQ(found(), "");
}

TEST_F(CheckOrder, LooksForNoMessageBeyondAsManyAsDoorsLookAt) {
  accept("t1", 10);
  auto& messages = calls.messages.front().messages;
  for (std::uint64_t i = 0; i < 32; ++i) messages.push_back({.sequence = 11 + i});
  accept("t2", 50);
  take(kSecond);
  EXPECT_EQ(found(), "");
}

TEST_F(CheckOrder, KeepsThePlaceOfNoTurnThatGaveItUpOrWasOneTooMany) {
  accept("t1", 10);
  accept("t2", 11);
  accept("t3", 12);
  come("t1", 10);
  come("t2", 11, Taken::kCrowd);
  come("t3", 12);
  order.released("s", kFirst);
  take({"t3", 1});
  EXPECT_EQ(found(), "");
}

TEST_F(CheckOrder, FindsATurnThatIsGivenTheConversationOfAnother) {
  accept("t1", 10);
  accept("t2", 11);
  take(kFirst);
  pass(seconds(60));
  order.heard("s", kFirst);
  pass(seconds(119));
  take(kSecond);
  EXPECT_EQ(found(),
            "t2 attempt 1 was given the conversation that t1 attempt 1 has, which was heard from "
            "119 s ago\n");
}

TEST_F(CheckOrder, GivesAwayTheConversationOfATurnThatIsSilentOrHasEnded) {
  accept("t1", 10);
  accept("t2", 11);
  accept("t3", 12);
  take(kFirst);
  pass(seconds(120));
  take(kSecond);
  calls.all["t2"].ended = true;
  take({"t3", 1});
  EXPECT_EQ(found(), "");
}

TEST_F(CheckOrder, FindsATurnThatRunsAndIsNotRenewed) {
  accept("t1", 10);
  accept("t2", 11);
  take(kFirst);
  pass(seconds(140));
  attempts.running[kFirst] = seconds(99);
  Writer next = kSecond;
  OrderChecker slept = order;
  slept.taken("s", next);
  EXPECT_EQ(found(), "") << "its process slept";
  attempts.running[kFirst] = seconds(100);
  take(next);
  EXPECT_EQ(found(),
            "t2 attempt 1 was given the conversation of t1 attempt 1, which runs and has not "
            "renewed it\n");
}

TEST_F(CheckOrder, FindsATurnThatHasEndedAndIsGivenTheConversation) {
  accept("t1", 10);
  calls.all["t1"].ended = true;
  Writer first = kFirst;
  OrderChecker early = order;
  early.taken("s", first);
  EXPECT_EQ(found(), "") << "that is not recorded yet";
  calls.all["t1"].end_recorded = true;
  take(first);
  EXPECT_EQ(found(), "t1 attempt 1 was given the conversation, and its turn has ended\n");
}

TEST_F(CheckOrder, FindsAnAttemptThatHasNotBegun) {
  accept("t1", 10);
  take({"t1", 3});
  EXPECT_EQ(found(), "t1 attempt 3 was given the conversation before its Started was stored\n");
}

TEST_F(CheckOrder, TakesACrashForWhatItIs) {
  accept("t1", 10);
  accept("t2", 11);
  accept("t3", 12);
  tables.arrive({{owner, "t1", 10}}, world.now());
  come("t1", 10);
  take(kFirst);
  tables.ask_to_stop(owner);  // waits for the disk
  order.released("s", kFirst);
  tables.release(owner, kFirst);
  tables.crash();
  order.rolled_back(tables);
  take(kSecond);
  EXPECT_NE(found(), "") << "t1 has it again";
}

TEST_F(CheckOrder, WaitsForNoPlaceThatACrashHasLost) {
  accept("t1", 10);
  accept("t2", 11);
  accept("t3", 12);
  come("t1", 10);
  order.rolled_back(tables);
  take(kSecond);
  EXPECT_EQ(found(), "");
  order.released("s", kSecond);
  come("t1", 10);
  take({"t3", 1});
  EXPECT_NE(found(), "") << "it came again";
}

}  // namespace
}  // namespace toolway::simulation::turns
