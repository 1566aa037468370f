#include "chat/turns/turn_events.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/awaiting.h"
#include "tests/support/test_clock.h"

namespace toolway::chat::turns {
namespace {

using std::chrono::milliseconds;

/// What a turn has told.
class Told final : public tools::model::Progress {
 public:
  void report(tools::model::ProgressReport report) override {
    const MutexLock lock(mutex_);
    reports_.push_back(std::move(report.data));
  }
  std::vector<Json> reports() const {
    const MutexLock lock(mutex_);
    return reports_;
  }
  /// Whether there are `count` in time.
  bool comes(std::size_t count) const {
    const auto deadline = std::chrono::steady_clock::now() + toolway::test::kPatience;
    while (reports().size() < count && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(milliseconds(2));
    return reports().size() >= count;
  }

 private:
  mutable Mutex mutex_;
  std::vector<Json> reports_ GUARDED_BY(mutex_);
};

Json text(std::string_view piece) { return {{"type", "text"}, {"text", piece}}; }

/// A turn on a clock that stands still.
class TurnEventsAtOnce : public testing::Test {
 protected:
  const toolway::test::StoppedClock clock_;
  ReportTicker ticker_{clock_};
  Told told_;
  TurnEvents turn_{told_, clock_, ticker_};
  const engine::Events events_ = turn_.events();
};

TEST_F(TurnEventsAtOnce, TheFirstPieceIsToldAtOnceAndLaterOnesTogether) {
  events_.on_text("one ");
  EXPECT_EQ(told_.reports(), std::vector<Json>{Json::array({text("one ")})});
  events_.on_text("two ");
  events_.on_text("three");
  EXPECT_EQ(told_.reports().size(), 1U);
  turn_.flush();
  EXPECT_EQ(told_.reports().at(1), Json::array({text("two three")}));
  turn_.flush();
  EXPECT_EQ(told_.reports().size(), 2U) << "nothing waits";
}

TEST_F(TurnEventsAtOnce, CallsAreToldAtOnceAndInTheirPlace) {
  events_.on_text("a");
  events_.on_text("b");
  events_.on_call({.id = "c1", .tool = "t"}, "ns.t");
  EXPECT_EQ(told_.reports().at(1),
            Json::array({text("b"),
                         {{"type", "tool_call"}, {"id", "c1"}, {"tool", "ns.t"}},
                         {{"type", "status"}, {"text", "Calling tool: ns.t"}}}));
}

TEST(TurnEvents, ThePieceBeforeAPauseIsTold) {
  const SystemClock clock;
  ReportTicker ticker(clock);
  Told told;
  TurnEvents turn(told, clock, ticker);
  const auto events = turn.events();
  events.on_text("one ");
  events.on_text("two ");
  ASSERT_TRUE(told.comes(2)) << "nothing follows it";
  EXPECT_EQ(told.reports().at(1), Json::array({text("two ")}));
}

TEST(TurnEvents, NoPieceOfAStreamIsLostAndReportsAreFew) {
  const SystemClock clock;
  ReportTicker ticker(clock);
  Told told;
  std::string said;
  const auto begun = clock.monotonic();
  {
    TurnEvents turn(told, clock, ticker);
    const auto events = turn.events();
    for (int i = 0; i < 200; ++i) {
      const auto piece = std::to_string(i) + " ";
      events.on_text(piece);
      said += piece;
      std::this_thread::sleep_for(milliseconds(2));
    }
    turn.flush();
  }
  const std::chrono::duration<double> took = clock.monotonic() - begun;
  std::string shown;
  for (const auto& report : told.reports())
    for (const auto& part : report) shown += part.at("text").get<std::string>();
  EXPECT_EQ(shown, said);
  // The first, the last, and one that comes up to a tick early.
  EXPECT_LE(static_cast<double>(told.reports().size()), 3 + took.count() * kReportRate.per_second);
}

TEST(TurnEvents, AfterItsEndNothingIsTold) {
  const SystemClock clock;
  ReportTicker ticker(clock);
  Told told;
  {
    TurnEvents turn(told, clock, ticker);
    turn.events().on_text("one ");
    turn.events().on_text("two ");
  }
  std::this_thread::sleep_for(milliseconds(150));
  EXPECT_EQ(told.reports().size(), 1U);
}

TEST(ReportTicker, TicksAreCommonToAll) {
  using std::chrono::microseconds;
  EXPECT_EQ(tick_before(MonotonicTime(milliseconds(50))), MonotonicTime(milliseconds(50)));
  EXPECT_EQ(tick_before(MonotonicTime(microseconds(74'999))), MonotonicTime(milliseconds(50)));
}

}  // namespace
}  // namespace toolway::chat::turns
