#include "tools/model/not_offered.h"

#include <gtest/gtest.h>

namespace toolway::tools::model {
namespace {

const std::vector<std::string> kOffered{"shop.buy", "shop.sell"};

TEST(NotOffered, NamesWhatMayBeMeant) {
  EXPECT_EQ(not_offered("shop.sel", kOffered),
            "the fleet has no tool 'shop.sel'; did you mean 'shop.sell'?");
  EXPECT_EQ(not_offered("shp", kOffered), "the fleet has no namespace 'shp'; did you mean 'shop'?");
  EXPECT_EQ(not_offered("nosuch.tool", {}), "the fleet has no tool 'nosuch.tool'");
}

TEST(NotOffered, ANamespaceIsOfferedWithAnyOfItsTools) {
  EXPECT_TRUE(is_offered("shop", kOffered));
  EXPECT_TRUE(is_offered("shop.buy", kOffered));
  EXPECT_FALSE(is_offered("sho", kOffered));
  EXPECT_FALSE(is_offered("shop.bu", kOffered));
}

}  // namespace
}  // namespace toolway::tools::model
