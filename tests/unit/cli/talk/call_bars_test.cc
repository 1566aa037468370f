#include "cli/talk/call_bars.h"

#include <gtest/gtest.h>

#include "cli/terminal/bar.h"

namespace toolway::cli::talk {
namespace {

OrderedJson progress(const OrderedJson& more) {
  OrderedJson event{{"type", "progress"}, {"namespace", "bench"}, {"tool", "work"}};
  event.update(more);
  return event;
}

TEST(CallBars, AreLinesOfProgress) {
  const terminal::Style plain(false);
  EXPECT_EQ(bar_line(progress({{"progress", 1}, {"total", 4}, {"message", "a\nquarter"}}), plain),
            "bench.work  █████░░░░░░░░░░░░░░░  25 %  a quarter");
  EXPECT_EQ(bar_line(progress({{"progress", 3}, {"step", "reading"}}), plain),
            "bench.work  3  reading");
  EXPECT_EQ(bar_line(progress({{"progress", 1}, {"message", "a\x1b[2Jb"}}), plain),
            "bench.work  1  a[2Jb");
  EXPECT_EQ(bar_line(progress({{"namespace", "toolway"}, {"progress", 1}}), plain), "")
      << "a turn's is its text";
  EXPECT_EQ(bar_line({{"type", "started"}, {"namespace", "bench"}}, plain), "");
  EXPECT_EQ(bar_line("text", plain), "");
}

TEST(Bar, NeverExceedsItsWidth) {
  EXPECT_EQ(terminal::bar(5, 10, 4), "██░░");
  EXPECT_EQ(terminal::bar(50, 10, 2), "██");
  EXPECT_EQ(terminal::bar(-1, 10, 2), "░░");
  EXPECT_EQ(terminal::bar(1, 0, 2), "░░");
  EXPECT_EQ(terminal::percent(5, 10), " 50 %");
  EXPECT_EQ(terminal::percent(50, 10), "100 %");
}

}  // namespace
}  // namespace toolway::cli::talk
