#include "tools/loaders/repeated_names.h"

#include <gtest/gtest.h>

namespace toolway::tools::loaders {
namespace {

OfferedSpec offered(const std::string& name, const std::string& origin, int line,
                    unsigned rollout = 0) {
  OfferedSpec one;
  model::Spec spec;
  spec.ns = "shop";
  spec.name = name;
  one.spec = std::make_shared<const model::Spec>(std::move(spec));
  one.origin = origin;
  one.line = line;
  one.rollout = rollout;
  return one;
}

TEST(RepeatedNames, AreSaidWhereTheyComeASecondTime) {
  const std::vector<OfferedSpec> specs{offered("buy", "a.yaml", 2), offered("sell", "a.yaml", 3),
                                       offered("buy", "b.yaml", 5)};
  const auto found = repeated_names(specs);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].text(), "b.yaml:5: tool 'shop.buy' exists already, at a.yaml:2");
}

TEST(RepeatedNames, MayBeAStableVersionAndItsCandidate) {
  EXPECT_TRUE(
      repeated_names(std::vector{offered("buy", "a", 1), offered("buy", "a", 2, 10)}).empty());
  const auto two =
      repeated_names(std::vector{offered("buy", "a", 1, 5), offered("buy", "a", 2, 10)});
  ASSERT_EQ(two.size(), 1U);
  EXPECT_NE(two[0].message.find("has a candidate already"), std::string::npos);
}

}  // namespace
}  // namespace toolway::tools::loaders
