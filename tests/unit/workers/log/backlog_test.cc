#include "workers/log/backlog.h"

namespace toolway::workers::log {
namespace {

constexpr MonotonicTime kNow{std::chrono::hours(1)};
using std::chrono::milliseconds;

tools::model::ProgressReport report(double progress, Json data = nullptr) {
  return {.progress = progress, .data = std::move(data)};
}

const v1::Progress& progress_of(const Backlog::Entry& entry) {
  return std::get<v1::Progress>(entry.body);
}

/// Of a report each millisecond.
int passed_in_three_seconds(Backlog& backlog) {
  int passed = 0;
  for (int ms = 0; ms < 3000; ++ms) {
    backlog.add(report(ms));
    if (backlog.take(kNow + milliseconds(ms))) ++passed;
  }
  return passed;
}

TEST(Backlog, KeepsTheNewestValueAndAllData) {
  Backlog backlog;
  backlog.add(report(1, Json::array({"a", "b"})));
  backlog.add(report(2));
  backlog.add(report(3, Json::array({"c"})));
  backlog.add(report(4, Json{{"k", 1}}));
  const auto entry = backlog.take(kNow);
  ASSERT_TRUE(entry);
  EXPECT_EQ(progress_of(*entry).progress(), 4);
  EXPECT_EQ(progress_of(*entry).merged(), 3u);
  EXPECT_EQ(progress_of(*entry).data(), R"(["a","b","c",{"k":1}])");
  EXPECT_TRUE(backlog.empty());
}

TEST(Backlog, DataOfASingleReportIsAsTheToolGaveIt) {
  Backlog backlog;
  backlog.add(report(1, Json{{"k", 1}}));
  EXPECT_EQ(progress_of(*backlog.take(kNow)).data(), R"({"k":1})");
  backlog.add(report(2));
  EXPECT_EQ(progress_of(*backlog.take(kNow)).data(), "");
  backlog.add(report(3, Json::array()));
  EXPECT_EQ(progress_of(*backlog.take(kNow)).data(), "[]");
}

TEST(Backlog, KeepsTheOrderOfProgressAndLog) {
  Backlog backlog;
  backlog.add(report(1));
  backlog.add(tools::model::LogLevel::kInfo, "between");
  backlog.add(report(2));
  EXPECT_EQ(progress_of(*backlog.take(kNow)).progress(), 1);
  EXPECT_EQ(std::get<v1::Log>(backlog.take(kNow)->body).message(), "between");
  EXPECT_EQ(progress_of(*backlog.take(kNow)).progress(), 2);
}

TEST(Backlog, HasTheRateThatItIsGiven) {
  Backlog backlog({.burst = 1, .per_second = 10});
  const int passed = passed_in_three_seconds(backlog);
  EXPECT_GE(passed, 1 + 28);
  EXPECT_LE(passed, 1 + 30);
}

TEST(Backlog, LetsTwentyProgressEventsASecondPass) {
  Backlog backlog;
  const int passed = passed_in_three_seconds(backlog);
  EXPECT_GE(passed, 20 + 58);
  EXPECT_LE(passed, 20 + 60);
  ASSERT_FALSE(backlog.empty());
  const MonotonicTime last = kNow + milliseconds(2999);
  const MonotonicTime ready = backlog.ready_at(last);
  EXPECT_LE(ready - last, milliseconds(51));
  EXPECT_TRUE(backlog.take(ready));
}

TEST(Backlog, LetsAHundredLogEventsASecondPassAndMergesTheRest) {
  Backlog backlog;
  int events = 0;
  std::size_t lines = 0;
  const auto count = [&](const Backlog::Entry& entry) {
    const auto& text = std::get<v1::Log>(entry.body).message();
    ++events;
    lines += 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  };
  for (int i = 0; i < 1000; ++i) {
    backlog.add(i == 990 ? tools::model::LogLevel::kError : tools::model::LogLevel::kInfo, "line");
    if (auto entry = backlog.take(kNow)) count(*entry);
  }
  EXPECT_EQ(events, 100);
  backlog.compact();
  auto last = backlog.take_last_words();
  ASSERT_TRUE(last);
  EXPECT_EQ(std::get<v1::Log>(last->body).level(), "error");
  count(*last);
  EXPECT_EQ(lines, 1000u);
  EXPECT_TRUE(backlog.empty());
}

TEST(Backlog, DropsAndCountsWhatExceedsTheBytesOfACall) {
  Backlog backlog;
  const std::string data(100 * 1024, 'x');
  std::size_t kept = 0;
  for (int i = 0; i < 60; ++i) {
    backlog.add(report(i, data));
    if (auto entry = backlog.take_last_words()) kept += progress_of(*entry).data().size();
  }
  EXPECT_LE(kept, Backlog::kMaxBytes);
  EXPECT_GT(kept, Backlog::kMaxBytes - data.size() - 100);
  EXPECT_EQ(backlog.dropped(), 60u - 40u);
}

TEST(Backlog, IsFullWhenDataWaitsAndNotWhenItIsTaken) {
  Backlog backlog;
  const std::string data(100 * 1024, 'x');
  for (int i = 0; i < 3; ++i) backlog.add(report(i, data));
  EXPECT_TRUE(backlog.full());
  while (backlog.take_last_words()) {
  }
  EXPECT_FALSE(backlog.full());
}

TEST(Backlog, WhatWasPutBackComesFirstAgain) {
  Backlog backlog;
  backlog.add(report(1, Json::array({1})));
  auto taken = backlog.take(kNow);
  backlog.add(report(2, Json::array({2})));
  backlog.put_back(std::move(*taken));
  EXPECT_EQ(progress_of(*backlog.take(kNow)).data(), "[1]");
  EXPECT_EQ(progress_of(*backlog.take(kNow)).data(), "[2]");
}

TEST(Backlog, TextIsMadeFitForTheWire) {
  EXPECT_EQ(clean_text("a\xff"
                       "b",
                       100),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(clean_text("h\xC3\xA9llo", 2), "h");
  EXPECT_EQ(clean_text("plain", 100), "plain");
}

}  // namespace
}  // namespace toolway::workers::log
