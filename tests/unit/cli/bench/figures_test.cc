#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "cli/bench/call_book.h"
#include "cli/bench/call_texts.h"
#include "cli/bench/load_record.h"
#include "cli/bench/outcome.h"
#include "cli/bench/resources.h"
#include "cli/bench/take_up.h"
#include "cli/bench/threshold.h"

namespace toolway::cli {
namespace {

TEST(Threshold, KnowsUnitsAndRelations) {
  EXPECT_DOUBLE_EQ(parse_threshold("p99 < 0.5s", FigureOf::kCalls)->bound, 500);
  EXPECT_DOUBLE_EQ(parse_threshold("accepted.p999<=250us", FigureOf::kCalls)->bound, 0.25);
  EXPECT_TRUE(parse_threshold("error_rate<0.1%", FigureOf::kCalls)->holds(0.09));
  EXPECT_FALSE(parse_threshold("error_rate<0.1%", FigureOf::kCalls)->holds(0.1));
  EXPECT_TRUE(parse_threshold("lost == 0", FigureOf::kCalls)->holds(0));
  EXPECT_TRUE(parse_threshold("lag_growth < 1s", FigureOf::kRun)->holds(-5));
  for (const char* text : {"", "p99", "p99 < 50", "p98 < 5ms", "lost == 0ms", "error_rate < 1",
                           "lost = 0", "p99 < ms", "p99 < nan", "p99 < infms"})
    EXPECT_FALSE(parse_threshold(text, FigureOf::kRun)) << text;
  EXPECT_FALSE(parse_threshold("memory_growth < 5%", FigureOf::kCalls));
}

TEST(Threshold, OfSloNamesTheFiguresOfABench) {
  for (const char* text :
       {"completion.p99<15ms", "completion.p99 < 0.015 s", "completion.p99<15000us"}) {
    const auto slo = parse_threshold(text, FigureOf::kBench);
    ASSERT_TRUE(slo) << slo.error().message;
    EXPECT_EQ(slo->metric, "completion.p99");
    EXPECT_DOUBLE_EQ(slo->bound, 15);
    EXPECT_TRUE(slo->holds(14.9));
    EXPECT_FALSE(slo->holds(15));
  }
  const auto holds = [](const char* text, double value) {
    return parse_threshold(text, FigureOf::kBench)->holds(value);
  };
  EXPECT_TRUE(holds("recorded.p999<=5ms", 5));
  EXPECT_TRUE(holds("calls_per_s>7000", 7001));
  EXPECT_FALSE(holds("calls_per_s>7000", 7000));
  EXPECT_TRUE(holds("floor_ratio>=0.35", 0.35));
  EXPECT_TRUE(holds("errors==0", 0));
  EXPECT_FALSE(holds("errors==0", 1));
  for (const char* text : {"", "completion.p99", "completion.p99<15", "completion.p98<15ms",
                           "speed<1ms", "errors=0", "errors==0ms", "completion.p99<ms", "lag<1s"})
    EXPECT_FALSE(parse_threshold(text, FigureOf::kBench)) << text;
  for (const char* text : {"errors == 0", "completion.p99 < 15ms", "worker_mb < 100"})
    EXPECT_FALSE(parse_threshold(text, FigureOf::kRun)) << text;
}

TEST(Threshold, WhatWasNotMeasuredDoesNotHold) {
  const auto judged = judge(*parse_threshold("take_up < 5s", FigureOf::kRun), "", {});
  EXPECT_FALSE(judged.measured);
  EXPECT_FALSE(judged.holds);
}

TEST(Threshold, OfCallsThatNeverCompletedNoTimeHolds) {
  LoadRecord record;
  record.asked(1, 10);
  record.refused(10, "nobody answers");
  const auto judged =
      judge(*parse_threshold("p99 < 50ms", FigureOf::kCalls), "", record.figures(10));
  EXPECT_FALSE(judged.measured);
  EXPECT_FALSE(judged.holds);
}

TEST(LoadRecord, FiguresAreExact) {
  LoadRecord record;
  for (int i = 1; i <= 100; ++i) {
    record.asked(i * 0.1, 1);
    record.completed(i * 0.1,
                     {.accepted = 1, .first_event = 2, .completion = static_cast<float>(i)});
  }
  record.asked(9.9, 5);
  record.refused(2, "HTTP 429");
  record.failed("timed_out");
  record.lost(1, "gone");
  const auto figures = record.figures(10);
  EXPECT_DOUBLE_EQ(figures.at("p50"), 50);
  EXPECT_DOUBLE_EQ(figures.at("p99"), 99);
  EXPECT_DOUBLE_EQ(figures.at("max"), 100);
  EXPECT_DOUBLE_EQ(figures.at("first_event.p99"), 2);
  EXPECT_DOUBLE_EQ(figures.at("calls"), 105);
  EXPECT_DOUBLE_EQ(figures.at("calls_per_s"), 10);
  EXPECT_NEAR(figures.at("error_rate"), 100.0 * 4 / 105, 1e-9);
  EXPECT_EQ(record.first_error(), "HTTP 429");
  LoadRecord sum;
  sum.add(record);
  sum.add(record);
  EXPECT_DOUBLE_EQ(sum.figures(10).at("calls"), 210);
  EXPECT_DOUBLE_EQ(sum.figures(10).at("p50"), 50);
}

TEST(LoadRecord, PercentilesAreNearestRank) {
  std::vector<float> values;
  EXPECT_EQ(percentile(values, 0.5), 0);
  for (int i = 1000; i >= 1; --i) values.push_back(static_cast<float>(i));
  EXPECT_EQ(percentile(values, 0.5), 500);
  EXPECT_EQ(percentile(values, 0.99), 990);
  EXPECT_EQ(percentile(values, 0.999), 999);
  EXPECT_EQ(percentile(values, 1), 1000);
  values.push_back(5000);
  EXPECT_EQ(percentile(values, 1), 5000);
}

TEST(LoadRecord, ItsSeriesHasAsManyPointsAsAreWanted) {
  LoadRecord record;
  for (int second = 0; second < 100; ++second)
    for (int call = 0; call < 10; ++call)
      record.completed(second + 0.5, {.completion = static_cast<float>(second)});
  const auto points = series(record, 30);
  ASSERT_EQ(points.size(), 25U);
  EXPECT_DOUBLE_EQ(points[1].at, 4);
  EXPECT_DOUBLE_EQ(points[1].p99_ms, 7);
  EXPECT_DOUBLE_EQ(points[1].rate, 10);
}

TEST(CallTexts, SortsFollowEachOtherByTheirWeights) {
  LoadGroup group;
  group.calls = {{.weight = 3}, {.weight = 1, .progress = 2}};
  CallTexts texts(group, [](const std::string&) { return OrderedJson(); });
  std::map<std::size_t, int> counts;
  for (int i = 0; i < 400; ++i) ++counts[texts.next()];
  EXPECT_EQ(counts[0], 300);
  EXPECT_EQ(counts[1], 100);
  EXPECT_NE(texts.body(0).find("bench.echo"), std::string::npos);
  EXPECT_NE(texts.body(1).find("bench.stream"), std::string::npos);
  EXPECT_EQ(texts.ending(0),
            fmt::format("Content-Length: {}\r\n\r\n{}", texts.body(0).size(), texts.body(0)));
  group.batch = 3;
  CallTexts batches(group, [](const std::string&) { return OrderedJson(); });
  EXPECT_EQ(parse_json(batches.body(0))->at("calls").size(), 3U);
}

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

TEST(Resources, TheLargestOfAMetricsSeries) {
  const std::string text =
      "# TYPE lag gauge\nlag{stream=\"calls\"} 0.5\nlag{stream=\"events\"} 2.5\nlag_messages 900\nother 7\n";
  EXPECT_DOUBLE_EQ(*largest_value(text, "lag"), 2.5);
  EXPECT_DOUBLE_EQ(*largest_value(text, "lag_messages"), 900);
  EXPECT_FALSE(largest_value(text, "la"));
  EXPECT_FALSE(largest_value("", "lag"));
}

TEST(Resources, GrowthIsOfTheLastTenthOverTheFirst) {
  std::vector<ResourceSample> samples;
  for (int i = 0; i < 100; ++i) {
    ResourceSample sample{.at = static_cast<double>(i)};
    const bool late = i >= 90;
    sample.roles["gateway"] = {
        .memory_mb = late ? 110.0 : 100.0, .fds = late ? 53.0 : 50.0, .threads = 4};
    sample.roles["worker"] = {
        .memory_mb = 100, .fds = late ? 8.0 : 10.0, .threads = late ? 5.0 : 4.0};
    sample.roles["nats"] = {.memory_mb = i * 10.0, .fds = 1, .threads = 1};
    sample.lag_s = i == 50 ? 3.0 : 0.1;
    samples.push_back(sample);
  }
  const auto figures = resource_figures(samples);
  EXPECT_NEAR(figures.at("memory_growth"), 10,
              1e-9);  // of the gateway; NATS fills its streams up to their limits, and is not ours
  EXPECT_NEAR(figures.at("fds_growth"), 3, 1e-9);
  EXPECT_NEAR(figures.at("threads_growth"), 1, 1e-9);
  EXPECT_NEAR(figures.at("lag"), 3000, 1e-9);
  EXPECT_NEAR(figures.at("lag_growth"), 0, 1e-9);
  EXPECT_TRUE(resource_figures({}).empty());
}

TEST(TakeUp, IsWhenEveryWorkerRunsItsShare) {
  std::vector<CallStart> starts;
  for (int i = 0; i < 1000; ++i) starts.push_back({i * 0.01, 0});  // one alone, 10 s
  for (int i = 0; i < 1000; ++i) starts.push_back({10 + i * 0.01, static_cast<std::size_t>(i % 4)});
  const auto took = take_up_seconds(starts, 8, 4);
  ASSERT_TRUE(took);
  EXPECT_GT(*took, 2);
  EXPECT_LT(*took, 2.6);
  EXPECT_FALSE(take_up_seconds(starts, 8, 5));
  EXPECT_FALSE(take_up_seconds({}, 0, 1));
}

TEST(TakeUp, OfWhatAKilledWorkerRanCountsFromTheLastKill) {
  EXPECT_EQ(takeover_times({5, 20}, {1, 10, 25.5, 20, 19}),
            (std::vector<float>{5000, 5500, 0, 14000}));
  EXPECT_TRUE(takeover_times({}, {1, 2}).empty());
}

}  // namespace
}  // namespace toolway::cli
