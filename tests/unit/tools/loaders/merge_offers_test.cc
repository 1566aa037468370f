#include "tools/loaders/merge_offers.h"

#include <gtest/gtest.h>

#include "tests/unit/tools/loaders/spec_texts.h"

namespace toolway::tools::loaders {
namespace {

TEST(MergeOffers, TheEarlierOneOfANameAndNamespace) {
  const std::vector parts{
      read_any("resources:\n  - {uri: 'x://a', name: first, text: x}\n", "a").offers,
      read_any(
          "resources:\n  - {uri: 'x://a', name: second, text: x}\n"
          "  - {uri: 'x://a', namespace: n, name: third, text: x}\n"
          "prompts:\n  - {name: p, messages: [{role: user, content: {type: text, text: x}}]}\n",
          "b")
          .offers};
  const auto merged = merge_offers(parts);
  std::string names;
  for (const auto& resource : merged.resources) names += resource->name + " ";
  EXPECT_EQ(names, "first third ");
  EXPECT_EQ(merged.prompts.size(), 1U);
  EXPECT_TRUE(merge_offers({}).resources.empty());
}

}  // namespace
}  // namespace toolway::tools::loaders
