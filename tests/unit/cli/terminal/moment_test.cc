#include "cli/terminal/moment.h"

#include <gtest/gtest.h>

namespace toolway::cli::terminal {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Moment, ReadsWhatTheGatewayWrites) {
  EXPECT_EQ(parse_moment("1970-01-01T00:00:01.000002Z"), from_unix_us(1'000'002));
  EXPECT_EQ(parse_moment("2026-01-31T12:00:00Z"), from_unix_us(1'769'860'800'000'000));
  EXPECT_EQ(parse_moment("2026-01-31T12:00:00.5Z"), from_unix_us(1'769'860'800'500'000));
}

TEST(Moment, KnowsWhatIsNotATime) {
  for (const char* text :
       {"", "yesterday", "2026-01-31", "2026-02-30T12:00:00Z", "2026-01-31T24:00:00Z",
        "2026-01-31T12:00:00+01:00", "2026-01-31T12:00:00,5Z", "2026-01-31 12:00:00.000000Z"})
    EXPECT_FALSE(parse_moment(text)) << text;
}

TEST(Moment, AgesHaveOneUnit) {
  const auto now = from_unix_us(1'769'860'800'000'000);
  EXPECT_EQ(age_text(now - microseconds(900'000), now), "now");
  EXPECT_EQ(age_text(now - seconds(3), now), "3 s ago");
  EXPECT_EQ(age_text(now - seconds(119), now), "1 min ago");
  EXPECT_EQ(age_text(now - hours(47), now), "47 h ago");
  EXPECT_EQ(age_text(now - hours(49), now), "2 d ago");
  EXPECT_EQ(age_text(now + minutes(5), now), "in 5 min");
}

TEST(Moment, IsShownAsTheViewWantsIt) {
  const std::string time = "2026-01-31T12:00:00.205219Z";
  View view{.terminal = true,
            .width = 80,
            .times = Times::kAge,
            .now = from_unix_us(1'769'860'803'300'000)};
  EXPECT_EQ(moment_text(time, view), "3 s ago");
  view.times = Times::kAbsolute;
  EXPECT_EQ(moment_text(time, view), "2026-01-31T12:00:00Z");
  EXPECT_EQ(moment_text(time, View{}), time) << "whole in a pipe";
  EXPECT_EQ(moment_text("", view), "");
}

TEST(Moment, DurationsHaveTwoOrThreeDigits) {
  EXPECT_EQ(duration_text(microseconds(840)), "0.8 ms");
  EXPECT_EQ(duration_text(microseconds(12'400)), "12 ms");
  EXPECT_EQ(duration_text(microseconds(1'540'000)), "1.5 s");
  EXPECT_EQ(duration_text(seconds(59)), "59 s");
  EXPECT_EQ(duration_text(seconds(303)), "5 min 3 s");
  EXPECT_EQ(duration_text(minutes(130)), "2 h 10 min");
}

}  // namespace
}  // namespace toolway::cli::terminal
