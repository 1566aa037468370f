#include "cli/bench/results/store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace toolway::cli::bench::results {
namespace {

OrderedJson result(const char* name, double p99) {
  return {{"scenario", name},
          {"figures", {{"p99", p99}, {"calls_per_s", 1000}}},
          {"machine", {{"cores", 2}}},
          {"options", {{"seconds", 60}}}};
}

TEST(ResultStore, GivesTheLastOfItsName) {
  const test::TempDir dir;
  const ResultStore store(dir / "results");
  EXPECT_FALSE(store.last("burst"));
  ASSERT_TRUE(store.keep("burst", "2026-11-21T22:00:00.000Z", result("burst", 1)));
  ASSERT_TRUE(store.keep("burst", "2026-11-21T23:00:00.000Z", result("burst", 2)));
  ASSERT_TRUE(store.keep("burst-2", "2026-11-21T23:30:00.000Z", result("burst-2", 3)));
  EXPECT_EQ((*store.last("burst"))["figures"]["p99"], 2);
  // What cannot be read is passed over.
  std::ofstream(std::filesystem::path(dir / "results") / "burst-20261121T235959.000Z.json") << "{";
  EXPECT_EQ((*store.last("burst"))["figures"]["p99"], 2);
}

TEST(ResultStore, ComparesInWords) {
  auto before = result("burst", 10);
  auto now = result("burst", 25);
  now["machine"]["cores"] = 4;
  const auto lines = compare(before, now);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "calls_per_s: 1000, the same");
  EXPECT_EQ(lines[1], "p99: 25.00 ms (was 10.00 ms), 2.50 times as much");
  EXPECT_EQ(lines[2], "not the same: the number of cores was 2, is 4");
  before = now = result("burst", 10);
  before["holds"] = false;
  before["options"]["url"] = "http://other:8080";
  now["options"]["digest"] = "ab";
  const auto unlike = compare(before, now);
  ASSERT_EQ(unlike.size(), 5U);
  EXPECT_EQ(unlike[2], "not the same: the last run broke a threshold");
  EXPECT_EQ(unlike[3],
            "not the same: the gateways it ran against was http://other:8080, is unknown")
      << "and so on";
  EXPECT_TRUE(compare(OrderedJson::object(), OrderedJson{{"figures", 3}}).empty());
}

}  // namespace
}  // namespace toolway::cli::bench::results
