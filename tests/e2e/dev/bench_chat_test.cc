#include <gtest/gtest.h>

#include "base/json.h"
#include "tests/e2e/dev/dev_stack.h"

namespace toolway::cli {
namespace {

// How fast it is depends on the machine; that turns end as they should, and that what streamed is
// stored, does not.
TEST(BenchChat, MeasuresEveryFigure) {
  const test::TempDir dir;
  const auto file = dir / "chat.json";
  const auto ran =
      run_toolway(dir, {"bench", "--chat", "--seconds", "1", "--scale", "0.02", "--json", file});
  ASSERT_TRUE(ran.status == 0 || ran.status == 1) << ran.output;
  EXPECT_EQ(ran.status == 1, ran.output.find("BROKEN") != std::string::npos) << ran.output;
  for (const char* row :
       {"\noverhead of an iteration", "\nturns of two iterations", "\n4 turns that stream at once",
        "\ntheir first delta", "\nmemory of each of 20 turns", "\nthe window of 200 messages",
        "\nwhat is read for it"})
    EXPECT_NE(ran.output.find(row), std::string::npos) << row << ran.output;
  const auto result = parse_ordered_json(text_of(file)).value_or(OrderedJson());
  ASSERT_TRUE(result.is_object()) << ran.output;
  for (const char* load : {"open", "closed"}) {
    EXPECT_GT(result[load]["turns"], 0) << load;
    EXPECT_EQ(result[load]["failed"], 0) << load;
    EXPECT_GT(result[load]["overhead_p99_ms"], 0) << load;
  }
  EXPECT_EQ(result["streams"]["whole"], 4);
  EXPECT_GT(result["streams"]["first_delta_p50_ms"], 0);
  EXPECT_EQ(result["waiting"]["turns"], 20);
  EXPECT_EQ(result["window"]["sent_messages"], 200) << "all of them fit";
  EXPECT_GT(result["window"]["p50_ms"], 0);
}

TEST(BenchChat, NeedsAStackOfItsOwn) {
  const test::TempDir dir;
  for (const auto& more :
       {std::vector<std::string>{"--url", "http://127.0.0.1:1"}, {"--slo", "p99<1ms"}}) {
    std::vector<std::string> arguments{"bench", "--chat"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto ran = run_toolway(dir, arguments);
    EXPECT_EQ(ran.status, 2) << ran.output;
    EXPECT_NE(ran.output.find("--chat has targets of its own"), std::string::npos) << ran.output;
  }
}

}  // namespace
}  // namespace toolway::cli
