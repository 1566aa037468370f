#include <gtest/gtest.h>

#include "tests/support/test_clock.h"
#include "tools/builtin/time_tools.h"
#include "tools/builtin/time_zones.h"
#include "tools/model/registry.h"

namespace toolway::tools::builtin {
namespace {

model::Execution current(std::int64_t us, const std::string& arguments) {
  model::Registry registry;
  for (auto& tool : time_tools(std::make_shared<toolway::test::StoppedClock>(from_unix_us(us))))
    EXPECT_TRUE(registry.add(tool));
  return registry.execute("time.get_current_time", arguments);
}

constexpr std::int64_t kWinter = 1769860800'123456;  // 2026-01-31T12:00:00.123456Z
constexpr std::int64_t kSummer = 1785499200'000000;  // 2026-07-31T12:00:00Z

TEST(CurrentTime, IsUtcUnlessToldOtherwise) {
  EXPECT_EQ(*current(kWinter, "{}"), Json::parse(R"({"iso8601": "2026-01-31T12:00:00.123+00:00",
    "unix": 1769860800, "timezone": "UTC", "utc_offset": "+00:00"})"));
}

TEST(CurrentTime, KnowsAnyZoneAndItsSummerTime) {
  const auto at = [](std::int64_t us, const std::string& zone) {
    const auto execution = current(us, R"({"timezone": ")" + zone + "\"}");
    return execution ? execution->at("iso8601").get<std::string>() : execution.error().message;
  };
  EXPECT_EQ(at(kWinter, "Europe/Berlin"), "2026-01-31T13:00:00.123+01:00");
  EXPECT_EQ(at(kSummer, "Europe/Berlin"), "2026-07-31T14:00:00.000+02:00");
  EXPECT_EQ(at(kWinter, "America/St_Johns"), "2026-01-31T08:30:00.123-03:30");
  EXPECT_EQ(at(kWinter, "Asia/Kathmandu"), "2026-01-31T17:45:00.123+05:45");
  EXPECT_EQ(at(kWinter, "Pacific/Kiritimati"), "2026-02-01T02:00:00.123+14:00");
  EXPECT_EQ(at(kWinter, "Etc/UTC"), "2026-01-31T12:00:00.123+00:00");
  EXPECT_EQ(at(-1, "UTC"), "1969-12-31T23:59:59.999+00:00");
}

TEST(CurrentTime, AnUnknownZoneIsRefusedWithTheNearest) {
  const auto near = current(kWinter, R"({"timezone": "Europe/Berlim"})");
  ASSERT_FALSE(near);
  EXPECT_EQ(near.error().code, "invalid_arguments");
  EXPECT_EQ(
      near.error().message.find(
          "/timezone: \"Europe/Berlim\" is not an IANA time zone; did you mean 'Europe/Berlin'"),
      0U)
      << near.error().message;
  EXPECT_NE(current(kWinter, R"({"timezone": "Berlin"})").error().message.find("'Europe/Berlin'"),
            std::string::npos);
  for (const char* zone : {"", "../../etc/passwd", "/etc/localtime", "Mars/Olympus\\u0000",
                           "Europe", "tzdata.zi", "posixrules"}) {
    const auto refused = current(kWinter, std::string(R"({"timezone": ")") + zone + "\"}");
    ASSERT_FALSE(refused) << zone;
    EXPECT_EQ(refused.error().code, "invalid_arguments") << zone;
  }
}

TEST(CurrentTime, ArgumentsAreChecked) {
  EXPECT_EQ(current(kWinter, R"({"timezone": 5})").error().message,
            "/timezone: expected string, found integer");
  EXPECT_EQ(current(kWinter, R"({"zone": "UTC"})").error().code, "invalid_arguments");
}

}  // namespace
}  // namespace toolway::tools::builtin
