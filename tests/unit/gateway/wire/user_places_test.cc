#include "gateway/wire/user_places.h"

#include <gtest/gtest.h>

namespace toolway::gateway::wire {
namespace {

TEST(UserPlaces, OfOneUserAreFewerThanAll) {
  UserPlaces places({.most = 3, .per_user = 2});
  const auto first = places.enter("a");
  auto second = places.enter("a");
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(places.enter("a"));
  const auto other = places.enter("b");
  EXPECT_TRUE(other);
  EXPECT_FALSE(places.enter("c")) << "all are taken";
  EXPECT_EQ(places.taken(), 3U);
  second = UserPlaces::Place();
  EXPECT_EQ(places.taken(), 2U);
  EXPECT_TRUE(places.enter("a"));
}

TEST(UserPlaces, OfOneUserMayBeAll) {
  UserPlaces places({.most = 2, .per_user = 0});
  const auto first = places.enter("a");
  const auto second = places.enter("a");
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(places.enter("a"));
}

TEST(UserPlaces, AreBoundedForEachUser) {
  UserPlaces users({.per_user = 2});
  auto first = users.enter("ann");
  {
    const auto second = users.enter("ann");
    EXPECT_TRUE(second);
    EXPECT_FALSE(users.enter("ann"));
    EXPECT_TRUE(users.enter("bob"));
  }
  EXPECT_TRUE(users.enter("ann"));
  EXPECT_EQ(users.users(), 1U);
  first = UserPlaces::Place();
  EXPECT_EQ(users.users(), 0U);
}

}  // namespace
}  // namespace toolway::gateway::wire
