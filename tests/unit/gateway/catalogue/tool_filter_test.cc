#include "gateway/catalogue/tool_filter.h"

#include <gtest/gtest.h>

namespace toolway::gateway::catalogue {
namespace {

class ToolFilterTest : public testing::Test {
 protected:
  ToolFilterTest() {
    spec_.name = "count_lines";
    spec_.ns = "text";
    spec_.description = "Counts the LINES of a file.";
    spec_.category = "files";
    spec_.topic = "Counting";
    spec_.kind = tools::model::Kind::kNative;
  }
  static wire::HttpResult<ToolFilter> parse(const std::string& query) {
    return parse_tool_filter(*wire::Target::parse("/v1/tools?" + query));
  }
  bool wanted(const std::string& query) const {
    const auto filter = parse(query);
    EXPECT_TRUE(filter) << query;
    return filter && filter->wants(spec_);
  }
  /// The parameter that is wrong.
  static std::string wrong(const std::string& query) {
    const auto filter = parse(query);
    if (filter) return "";
    EXPECT_EQ(filter.error().error.code, ErrorCode::kInvalidRequest);
    return filter.error().errors.at(0).place;
  }

  tools::model::Spec spec_;
};

TEST_F(ToolFilterTest, WithoutConditionsAllAreWanted) {
  EXPECT_TRUE(parse("")->wants_all());
  EXPECT_TRUE(wanted(""));
  EXPECT_TRUE(parse("q=%20")->wants_all()) << "no words";
  for (const char* query : {"kind=native", "namespace=text", "category=files", "q=a"})
    EXPECT_FALSE(parse(query)->wants_all()) << query;
}

TEST_F(ToolFilterTest, AllConditionsMustHold) {
  EXPECT_TRUE(wanted("kind=native&namespace=text&category=files&q=count"));
  for (const char* query : {"kind=command&namespace=text", "kind=native&namespace=tex",
                            "category=Files&q=count", "namespace=text&q=bytes"})
    EXPECT_FALSE(wanted(query)) << query;
}

TEST_F(ToolFilterTest, EveryWordIsSomewhereWhateverItsCase) {
  for (const char* query :
       {"q=LINE", "q=lines%20file", "q=%09text%20Counting%0A", "q=FILES", "q=t_l"})
    EXPECT_TRUE(wanted(query)) << query;
  for (const char* query : {"q=lines%20bytes", "q=counts%09words", "q=linesof"})
    EXPECT_FALSE(wanted(query)) << query;
}

TEST_F(ToolFilterTest, SaysWhichParameterIsWrong) {
  EXPECT_EQ(wrong("kind=magic"), "?kind");
  EXPECT_EQ(wrong("namespace=a.b"), "?namespace");
  EXPECT_EQ(wrong("namespace="), "?namespace");
  EXPECT_EQ(wrong("category="), "?category");
  EXPECT_EQ(wrong("category=" + std::string(255, 'a')), "");
  EXPECT_EQ(wrong("category=" + std::string(256, 'a')), "?category");
  EXPECT_EQ(wrong("q=" + std::string(256, 'a')), "");
  EXPECT_EQ(wrong("q=" + std::string(257, 'a')), "?q");
}

TEST_F(ToolFilterTest, TheFormatIsToolwaysUnlessItIsNamed) {
  const auto format = [](const char* query) {
    return parse_tool_format(*wire::Target::parse(std::string("/v1/tools?") + query));
  };
  EXPECT_EQ(format("a=b"), tools::exports::Format::kToolway);
  EXPECT_EQ(format("format=mcp"), tools::exports::Format::kMcp);
  EXPECT_EQ(format("format=anthropic"), tools::exports::Format::kAnthropic);
  ASSERT_FALSE(format("format=xml"));
  EXPECT_EQ(format("format=xml").error().errors.at(0).place, "?format");
}

}  // namespace
}  // namespace toolway::gateway::catalogue
