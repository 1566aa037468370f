#include "base/answer_json.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <thread>

#include "tests/support/awaiting.h"

namespace toolway {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kRoom = 1UL << 20;

TEST(ParseRoom, LetsInWhatFitsAndTheOthersInTurn) {
  ParseRoom room(kRoom);
  std::optional<ParseRoom::Lease> first;
  first.emplace(room.enter(kRoom / 2, {}));
  std::optional<ParseRoom::Lease> second;
  second.emplace(room.enter(kRoom / 2, {}));
  const auto small = room.enter(ParseRoom::kSmall - 1, {});  // never waits
  test::Awaited<int> entered;
  std::jthread large([&, told = entered.callback()] {
    const auto all = room.enter(3 * kRoom, {});  // takes all of it, and no more
    told(1);
  });
  EXPECT_FALSE(entered.next(100ms));
  first.reset();
  EXPECT_FALSE(entered.next(100ms)) << "half of it is taken";
  second.reset();
  EXPECT_TRUE(entered.next());
}

TEST(ParseRoom, WhatIsStoppedWaitsNoLongerAndTakesNothing) {
  ParseRoom room(kRoom);
  std::optional<ParseRoom::Lease> all;
  all.emplace(room.enter(kRoom, {}));
  std::stop_source stop;
  auto stopped = std::async(std::launch::async, [&] { (void)room.enter(kRoom, stop.get_token()); });
  stop.request_stop();
  stopped.get();
  all.reset();
  (void)room.enter(kRoom, {});
}

TEST(ParseAnswer, BoundsValuesAndNotOnlyBytes) {
  EXPECT_EQ(*parse_answer(R"({"a": [1, "[,[,{"]})"), Json({{"a", {1, "[,[,{"}}}));
  EXPECT_EQ(parse_answer("[1,").error().code, ErrorCode::kMalformedJson);
  std::string many = "[[]";  // two values each: the comma's, and what may be inside
  for (std::size_t i = 0; i < kMaxAnswerValues / 2; ++i) many += ",[]";
  many += "]";
  const auto too_many = parse_answer(many);
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().code, ErrorCode::kPayloadTooLarge);
  EXPECT_NE(too_many.error().message.find("the limit is 4000000"), std::string::npos)
      << too_many.error().message;
}

}  // namespace
}  // namespace toolway
