#include "base/nearest_names.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

using Names = std::vector<std::string>;

TEST(NearestNames, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("abc", "ABC"), 0U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("ab", "ba"), 1U);
  EXPECT_EQ(quoted_choices({"a", "b", "c"}), "'a', 'b' or 'c'");
}

TEST(NearestNames, CompareOnlyAsMuchAsTheLoopCanWaitFor) {
  const std::string asked(128, 'a');
  const std::string near = asked.substr(1) + "b";
  // Each of these costs 128 * 128: the bound is met before the last one, not before the short ones.
  Names many(1'000, asked.substr(1) + "c");
  many.push_back(near);
  EXPECT_EQ(nearest_names(asked, many), Names{many.front()});
  Names words(5'000, "reading");
  words.push_back("read_file");
  EXPECT_EQ(nearest_names("read_fil", words, 1), Names{"read_file"});
}

TEST(NearestNames, AreSortedCutAndUnique) {
  EXPECT_EQ(nearest_names("read", {"reed", "read_file", "write", "red", "raed", "reed"}, 4),
            (Names{"raed", "red", "reed", "read_file"}));
  EXPECT_TRUE(nearest_names("x", {"completely", "different"}).empty());
}

}  // namespace
}  // namespace toolway
