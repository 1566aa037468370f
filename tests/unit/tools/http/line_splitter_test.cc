#include "tools/http/line_splitter.h"

#include <gtest/gtest.h>

#include <vector>

namespace toolway::tools::http {
namespace {

using Lines = std::vector<std::string>;

/// The lines of `pieces`, and what is left after them.
Lines split(LineSplitter splitter, const Lines& pieces) {
  Lines lines;
  for (const auto& piece : pieces) {
    const auto fed = splitter.feed(piece, [&](std::string_view line) -> Result<void> {
      lines.emplace_back(line);
      return {};
    });
    EXPECT_TRUE(fed);
  }
  lines.push_back("rest: " + splitter.rest());
  return lines;
}

TEST(LineSplitter, ALineFeedEndsALineAndTakesTheCarriageReturnBeforeIt) {
  const LineSplitter splitter(LineSplitter::Ends::kLf, 100);
  EXPECT_EQ(split(splitter, {"a\r\nb", "\n\nc"}), (Lines{"a", "b", "", "rest: c"}));
  EXPECT_EQ(split(splitter, {"a\rb\n"}), (Lines{"a\rb", "rest: "}));
  EXPECT_EQ(split(splitter, {"a\r", "\n"}), (Lines{"a", "rest: "}));
}

TEST(LineSplitter, EitherEndsALineOrBothTogetherOnce) {
  const LineSplitter splitter(LineSplitter::Ends::kLfCrOrBoth, 100);
  EXPECT_EQ(split(splitter, {"a\rb\nc\r\nd"}), (Lines{"a", "b", "c", "rest: d"}));
  EXPECT_EQ(split(splitter, {"a\r", "\nb\r", "c"}), (Lines{"a", "b", "rest: c"}));
  EXPECT_EQ(split(splitter, {"a\r\rb\n\n"}), (Lines{"a", "", "b", "", "rest: "}));
}

TEST(LineSplitter, BoundsALineHoweverItIsCut) {
  const auto take = [](std::string_view) -> Result<void> { return {}; };
  LineSplitter fits(LineSplitter::Ends::kLf, 3);
  EXPECT_TRUE(fits.feed("abc\nabc\n", take));
  LineSplitter at_once(LineSplitter::Ends::kLf, 3);
  const auto too_long = at_once.feed("abc\nabcd\n", take);
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code, ErrorCode::kPayloadTooLarge);
  EXPECT_EQ(too_long.error().message, "a line has more than 3 bytes");
  LineSplitter in_pieces(LineSplitter::Ends::kLf, 3);
  EXPECT_TRUE(in_pieces.feed("ab", take));
  EXPECT_FALSE(in_pieces.feed("cd", take)) << "though the line has not ended";
}

TEST(LineSplitter, StopsAtALineThatIsRefused) {
  LineSplitter splitter(LineSplitter::Ends::kLf, 100);
  Lines lines;
  const auto fed = splitter.feed("a\nb\nc\n", [&](std::string_view line) -> Result<void> {
    lines.emplace_back(line);
    if (line == "b") return fail(ErrorCode::kInvalidRequest, "not b");
    return {};
  });
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().message, "not b");
  EXPECT_EQ(lines, (Lines{"a", "b"}));
}

}  // namespace
}  // namespace toolway::tools::http
