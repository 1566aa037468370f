#include "cli/bench/load/call_book.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/bench/load/call_key.h"

namespace toolway::cli::bench::load {
namespace {

TEST(CallBook, ForgetsWhatIsDoneAndFindsStrays) {
  const auto one = *parse_call_key("01890a5d-ac96-774b-bcce-b302099a8057");
  const auto other = *parse_call_key("01890a5d-ac96-774b-bcce-b302099a8058");
  CallBook book;
  book.of(one).accepted = 5;
  book.done(one, 1000);
  book.forget(1000 + CallBook::kRemembered);
  EXPECT_EQ(book.of(one).accepted, 5);
  book.of(other).accepted = 7;
  book.forget(1001 + CallBook::kRemembered);
  EXPECT_EQ(book.strays(), 0U);
  EXPECT_EQ(book.of(other).accepted, 7);
  EXPECT_EQ(book.of(one).accepted, 0);  // made again: an event came after it was forgotten
  EXPECT_EQ(book.strays(), 1U);
}

TEST(CallKey, IsOfAnIdAndOfNothingElse) {
  const auto key = parse_call_key("01890a5d-ac96-774b-bcce-b302099a8057");
  ASSERT_TRUE(key);
  EXPECT_EQ(*key, *parse_call_key("01890a5d-ac96-774b-bcce-b302099a8057"));
  EXPECT_NE(*key, *parse_call_key("01890a5d-ac96-774b-bcce-b302099a8058"));
  for (const char* text : {"", "not an id", "01890A5D-ac96-774b-bcce-b302099a8057",
                           "01890a5d-ac96-774b-bcce-b302099a80577"})
    EXPECT_FALSE(parse_call_key(text)) << text;
}

TEST(CallJudge, EachAttemptStartsOnceAndACallCompletesOnce) {
  CallBook::Call call;
  const auto started = [&](int attempt) {
    return judge_event(call, "started", fmt::format(R"(,"attempt":{},"seq":1)", attempt));
  };
  EXPECT_EQ(started(1), Seen::kStarted);
  EXPECT_EQ(started(1), Seen::kRepeated);
  EXPECT_EQ(started(3), Seen::kStartedAgain);
  EXPECT_EQ(started(2), Seen::kRepeated);
  EXPECT_EQ(judge_event(call, "completed", ""), Seen::kCompleted);
  call.completed = 1;
  EXPECT_EQ(judge_event(call, "completed", ""), Seen::kRepeated);
}

TEST(CallJudge, ReportsComeInTheOrderOfTheirNumbers) {
  CallBook::Call call;
  const auto reported = [&](const char* type, int seq) {
    return judge_event(call, type, fmt::format(R"(,"attempt":1,"seq":{})", seq));
  };
  EXPECT_EQ(reported("progress", 2), Seen::kProgress);
  EXPECT_EQ(reported("log", 3), Seen::kProgress);
  EXPECT_EQ(reported("progress", 3), Seen::kRepeated);
  EXPECT_EQ(reported("progress", 2), Seen::kRepeated);
  EXPECT_EQ(reported("progress", 7), Seen::kProgress);
}

TEST(CallJudge, ACallOfAToolThatIsNotIdempotentStartsOnceAndMayEndAsUnknown) {
  const auto seen = [](CallBook::Call& call, const char* type, const char* tool, const char* rest) {
    return judge_event(
        call, type,
        fmt::format(R"(,"session_id":"s","tool":"{}","namespace":"bench",{})", tool, rest));
  };
  constexpr const char* kFirst = R"("attempt":1,"seq":1)";
  constexpr const char* kSecond = R"("attempt":2,"seq":2)";
  constexpr const char* kUnknown = R"("attempt":1,"seq":2,"outcome":"unknown")";
  CallBook::Call once;
  EXPECT_EQ(seen(once, "started", "work_once", kFirst), Seen::kStarted);
  EXPECT_EQ(seen(once, "started", "work_once", kSecond), Seen::kRanTwice);
  EXPECT_EQ(seen(once, "completed", "work_once", kUnknown), Seen::kEndedUnknown);
  once.completed = 1;
  EXPECT_EQ(seen(once, "completed", "work_once", kUnknown), Seen::kRepeated);
  // Its first start was not seen, and was there all the same.
  CallBook::Call later;
  EXPECT_EQ(seen(later, "started", "work_once", kSecond), Seen::kRanTwice);
  CallBook::Call idempotent;
  EXPECT_EQ(seen(idempotent, "started", "work", kFirst), Seen::kStarted);
  EXPECT_EQ(seen(idempotent, "started", "work", kSecond), Seen::kStartedAgain);
  EXPECT_EQ(seen(idempotent, "completed", "work", kUnknown), Seen::kCompleted);
  CallBook::Call succeeded;
  EXPECT_EQ(seen(succeeded, "completed", "work_once", R"("outcome":"succeeded")"),
            Seen::kCompleted);
}

}  // namespace
}  // namespace toolway::cli::bench::load
