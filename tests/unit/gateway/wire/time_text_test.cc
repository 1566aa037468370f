#include "gateway/wire/time_text.h"

#include <gtest/gtest.h>

namespace toolway::gateway::wire {
namespace {

using namespace std::chrono_literals;

const WallTime kNow = from_unix_us(1'800'000'000'000'000);  // 2027-01-15T08:00:00Z

TEST(TimeText, ReadsADurationInEachUnit) {
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("15m"), 15min);
  EXPECT_EQ(parse_duration("2h"), 2h);
  EXPECT_EQ(parse_duration("7d"), 168h);
  EXPECT_EQ(parse_duration("0ms"), 0ms);
  EXPECT_EQ(parse_duration("0.0006ms"), 1us) << "rounded";
}

TEST(TimeText, RefusesWhatIsNotADuration) {
  for (const auto* text :
       {"", "15", "m", "-5m", "+5m", ".5s", "5 m", "5min", "5M", "1e3s", "1..5s", "99999d", "5m "})
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(TimeText, ReadsATimeWithItsOffset) {
  EXPECT_EQ(parse_moment("2027-01-15T08:00:00Z", kNow), kNow);
  EXPECT_EQ(parse_moment("2027-01-15t08:00:00z", kNow), kNow);
  EXPECT_EQ(parse_moment("2027-01-15 08:00:00Z", kNow), kNow);
  EXPECT_EQ(parse_moment("2027-01-15T09:30:00+01:30", kNow), kNow);
  EXPECT_EQ(parse_moment("2027-01-14T23:00:00-09:00", kNow), kNow);
  EXPECT_EQ(parse_moment("2027-01-15T08:00:00.25Z", kNow), kNow + 250ms);
  EXPECT_EQ(parse_moment("2027-01-15T08:00:00.000001999Z", kNow), kNow + 1us);
  EXPECT_EQ(parse_moment("2024-02-29T00:00:00Z", kNow), from_unix_us(1'709'164'800'000'000));
}

TEST(TimeText, CountsAnAgeBackFromNow) { EXPECT_EQ(parse_moment("15m", kNow), kNow - 15min); }

TEST(TimeText, RefusesWhatIsNotATime) {
  for (const auto* text :
       {"", "yesterday", "2027-01-15", "2027-01-15T08:00:00", "2027-02-29T08:00:00Z",
        "2027-13-01T08:00:00Z", "2027-01-15T24:00:00Z", "2027-01-15T08:60:00Z",
        "2027-01-15T08:00:61Z", "2027-01-15T08:00:00.Z", "2027-01-15T08:00:00Zx",
        "2027-01-15T08:00:00+1:00", "27-01-15T08:00:00Z", "1800000000"})
    EXPECT_EQ(parse_moment(text, kNow), std::nullopt) << text;
}

}  // namespace
}  // namespace toolway::gateway::wire
