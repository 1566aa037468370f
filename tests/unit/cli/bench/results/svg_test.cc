#include "cli/bench/results/svg.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::results {
namespace {

TEST(Svg, TextStaysText) {
  const auto text = text_at(1, 2.25, "a<b> & \"c\"\x01", {.size = 13});
  EXPECT_NE(text.find(">a&lt;b&gt; &amp; &quot;c&quot; </text>"), std::string::npos) << text;
  EXPECT_NE(text.find("x=\"1.0\" y=\"2.2\" font-size=\"13\""), std::string::npos) << text;
}

TEST(Svg, HasABoxOfItsSize) {
  EXPECT_EQ(box(1, 2, 3, 4, "#fff"),
            "<rect x=\"1.0\" y=\"2.0\" width=\"3.0\" height=\"4.0\" fill=\"#fff\"/>\n");
  EXPECT_NE(svg_head(960, 300).find("viewBox=\"0 0 960 300\""), std::string::npos);
}

}  // namespace
}  // namespace toolway::cli::bench::results
