#include "persistence/specs/spec_put.h"

#include <gtest/gtest.h>

#include "persistence/specs/spec_versions.h"

namespace toolway::persistence::specs {
namespace {

tools::loaders::OfferedSpec offered(unsigned rollout) {
  tools::loaders::OfferedSpec one;
  tools::model::Spec spec;
  spec.ns = "shop";
  spec.name = "buy";
  one.spec = std::make_shared<const tools::model::Spec>(std::move(spec));
  one.origin = "a.yaml";
  one.line = 2;
  one.enabled = false;
  one.rollout = rollout;
  return one;
}

TEST(SpecsToPut, SayTheirShareThemselvesOrAreAllGivenOne) {
  const std::vector plain{offered(0)};
  const std::vector candidate{offered(20)};
  EXPECT_EQ(specs_to_put(plain, 0).specs.at(0).rollout, 0U);
  EXPECT_EQ(specs_to_put(plain, 10).specs.at(0).rollout, 10U);
  EXPECT_EQ(specs_to_put(candidate, 0).specs.at(0).rollout, 20U);
  EXPECT_FALSE(specs_to_put(plain, 0).specs.at(0).enabled);
  const auto both = specs_to_put(candidate, 10);
  ASSERT_EQ(both.mistakes.size(), 1U);
  EXPECT_EQ(both.mistakes[0].text(),
            "a.yaml:2: it has a `rollout` already: give --rollout or write it, not both");
}

TEST(DiffOfVersions, IsByTheirNumbers) {
  const std::vector<SpecChange> changes{
      {.number = 1, .what = "put", .document = R"({"name":"buy","version":"1"})"},
      {.number = 2, .what = "put", .document = R"({"name":"buy","version":"2"})"},
      {.number = 3, .what = "remove"}};
  const auto found = diff_of(changes, "shop.buy", 1, 2);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->at(0).pointer, "/version");
  EXPECT_EQ(diff_of(changes, "shop.buy", 1, 3).error().message,
            "version 3 of 'shop.buy' is a removal, and has no fields");
  EXPECT_EQ(diff_of(changes, "shop.buy", 4, 1).error().message,
            "'shop.buy' has no version 4: there are 1 to 3");
}

}  // namespace
}  // namespace toolway::persistence::specs
