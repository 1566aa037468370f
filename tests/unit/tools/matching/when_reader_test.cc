#include "tools/matching/when_reader.h"

#include <gtest/gtest.h>

#include "tools/specs/trees.h"

namespace toolway::tools::matching {
namespace {

struct Read {
  When when;
  std::vector<std::string> mistakes;
};

Read read(const char* yaml) {
  Mistakes mistakes("file");
  const auto tree = specs::read_tree(yaml, mistakes);
  Read made;
  if (tree) made.when = read_when(*tree, mistakes);
  for (const auto& mistake : std::move(mistakes).take()) made.mistakes.push_back(mistake.text());
  return made;
}

TEST(WhenReader, ReadsAllThreeConditions) {
  const auto read_one = read(R"(
arguments: {path: /etc}
pointers: {/deep/0: 5}
schema: {properties: {force: {const: true}}, required: [force]}
)");
  EXPECT_EQ(read_one.mistakes, std::vector<std::string>());
  const auto right = *parse_json(R"({"path": "/etc", "deep": [5], "force": true, "more": 1})");
  EXPECT_TRUE(mismatches(read_one.when, right).empty());
  for (const char* member : {"path", "deep", "force"}) {
    auto wrong = right;
    wrong.erase(member);
    EXPECT_FALSE(mismatches(read_one.when, wrong).empty()) << member;
  }
}

TEST(WhenReader, SaysWhereEachMistakeIs) {
  const auto wrong = read(R"(
pointers: {path: 5}
schema:
  properties:
    force: {type: flag}
argument: {}
)");
  ASSERT_EQ(wrong.mistakes.size(), 3U);
  EXPECT_EQ(wrong.mistakes[0],
            "file:2: \"path\" is not a JSON Pointer, such as /query or /filter/0");
  EXPECT_TRUE(wrong.mistakes[1].starts_with("file:5: `schema` at /properties/force"))
      << wrong.mistakes[1];
  EXPECT_EQ(wrong.mistakes[2], "file:6: unknown field `argument`; did you mean `arguments`?");
}

}  // namespace
}  // namespace toolway::tools::matching
