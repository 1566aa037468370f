#include "gateway/mcp/subscriptions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/ids.h"
#include "gateway/mcp/result_uri.h"
#include "tests/unit/gateway/mcp/offers_of.h"

namespace toolway::gateway::mcp {
namespace {

using Uris = std::vector<std::string>;

TEST(Subscriptions, AreBounded) {
  Subscriptions all;
  for (std::size_t i = 0; i < kMaxSubscriptions; ++i)
    EXPECT_FALSE(add_subscription(all, {.uri = fmt::format("x://{}", i)}));
  EXPECT_EQ(add_subscription(all, {.uri = "x://one-more"}),
            "100 resources at most: unsubscribe from others first");
  EXPECT_FALSE(add_subscription(all, {.uri = "x://7", .content = 5})) << "it is there";
  EXPECT_EQ(all[7].content, 5U);
  EXPECT_TRUE(remove_subscription(all, "x://0"));
  EXPECT_FALSE(remove_subscription(all, "x://0"));
  EXPECT_FALSE(add_subscription(all, {.uri = "x://one-more"}));
}

TEST(Subscriptions, AreBoundedInBytes) {
  Subscriptions all;
  EXPECT_EQ(add_subscription(all, {.uri = std::string(2049, 'x')}),
            "a URI to subscribe to has 2048 bytes at most");
  EXPECT_FALSE(add_subscription(all, {.uri = std::string(2048, 'x')}));
  EXPECT_FALSE(add_subscription(all, {.uri = std::string(2048, 'y')}));
  EXPECT_EQ(add_subscription(all, {.uri = "z"}),
            "the URIs of all subscriptions have 4096 bytes together at most");
}

class Told : public testing::Test {
 protected:
  static SeenOffers seen(std::string_view text) {
    const auto file = fmt::format("resources: [{{uri: 'x://a', name: a, text: {}}}]", text);
    return {1, test::offers_of(file), std::vector<std::string>{"default"}, nullptr};
  }
  void follow(Subscriptions all) {
    told_.follow(std::make_shared<const Subscriptions>(std::move(all)));
  }
  ToldResources told_;
};

TEST_F(Told, EachChangeIsToldOnce) {
  const auto one = seen("one");
  follow({{.uri = "x://a", .content = one.content_of("x://a")}});
  EXPECT_EQ(told_.changed(one), Uris{});
  EXPECT_EQ(told_.changed(seen("two")), Uris{"x://a"});
  EXPECT_EQ(told_.changed(seen("two")), Uris{});
  EXPECT_EQ(told_.changed(one), Uris{"x://a"});
  const SeenOffers nothing(1, std::make_shared<const tools::specs::Offers>(), {}, nullptr);
  EXPECT_EQ(told_.changed(nothing), Uris{"x://a"}) << "it has gone";
  EXPECT_EQ(told_.changed(nothing), Uris{});
}

TEST_F(Told, WhatChangedSinceTheSubscriptionIsToldByTheNextStream) {
  follow({{.uri = "x://a", .content = seen("one").content_of("x://a")}});
  EXPECT_EQ(told_.changed(seen("two")), Uris{"x://a"});
}

TEST_F(Told, WhatIsUnsubscribedIsForgotten) {
  const auto one = seen("one");
  const Subscription to{.uri = "x://a", .content = one.content_of("x://a")};
  follow({to});
  EXPECT_EQ(told_.changed(one), Uris{});
  follow({});
  EXPECT_EQ(told_.changed(seen("two")), Uris{});
  follow({to});
  EXPECT_EQ(told_.changed(one), Uris{});
}

TEST_F(Told, ResultsAreAwaitedInTurnUntilTheyAreThere) {
  Subscriptions all;
  Uris calls;
  for (int i = 0; i < 5; ++i) {
    calls.push_back(CallId::make(WallTime()).text());
    all.push_back({.uri = result_uri(calls.back())});
  }
  all.push_back({.uri = result_uri(CallId::make(WallTime()).text()), .content = 1});
  follow(all);
  EXPECT_EQ(told_.awaited(3), (Uris{calls[0], calls[1], calls[2]}));
  EXPECT_EQ(told_.awaited(3), (Uris{calls[3], calls[4], calls[0]}));
  told_.ended(calls[1]);
  EXPECT_EQ(told_.awaited(9), (Uris{calls[2], calls[3], calls[4], calls[0]}));
  for (const auto& call : calls) told_.ended(call);
  EXPECT_EQ(told_.awaited(9), Uris{});
  EXPECT_EQ(told_.changed(seen("one")), Uris{}) << "files do not have them";
}

}  // namespace
}  // namespace toolway::gateway::mcp
