#include "mcp/json_marks.h"

#include <gtest/gtest.h>

#include <string>

namespace toolway::mcp {
namespace {

std::string marks(std::string_view json) {
  std::string seen;
  for_each_mark(json, [&seen](char c) { seen.push_back(c); });
  return seen;
}

TEST(JsonMarks, AreOutsideOfStrings) {
  EXPECT_EQ(marks(R"({"a,b": [1, "]"]})"), "{: [1, ]}");
  EXPECT_EQ(marks(R"(["a\"],", "\\",2])"), "[, ,2]");
  EXPECT_EQ(marks(R"("")"), "");
}

TEST(JsonMarks, OfATextThatIsNotJsonEndWithIt) {
  EXPECT_EQ(marks("[\"never ends, ]"), "[");
  EXPECT_EQ(marks("[\"ends with a \\"), "[");
  EXPECT_EQ(marks("\\[,"), "\\[,") << "an escape counts within a string alone";
}

}  // namespace
}  // namespace toolway::mcp
