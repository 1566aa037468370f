#include "gateway/admission/wait_places.h"

#include <gtest/gtest.h>

namespace toolway::gateway::admission {
namespace {

TEST(WaitPlaces, OfOneUserAreFewerThanAll) {
  WaitPlaces places({.most = 3, .per_user = 2});
  const auto first = places.enter("a");
  auto second = places.enter("a");
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(places.enter("a"));
  const auto other = places.enter("b");
  EXPECT_TRUE(other);
  EXPECT_FALSE(places.enter("c")) << "all are taken";
  EXPECT_EQ(places.taken(), 3U);
  second = WaitPlaces::Place();
  EXPECT_EQ(places.taken(), 2U);
  EXPECT_TRUE(places.enter("a"));
}

TEST(WaitPlaces, OfOneUserMayBeAll) {
  WaitPlaces places({.most = 2, .per_user = 0});
  const auto first = places.enter("a");
  const auto second = places.enter("a");
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(places.enter("a"));
}

}  // namespace
}  // namespace toolway::gateway::admission
