#include "gateway/loop/io_post.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace toolway::gateway::loop {
namespace {

class IoPostTest : public testing::Test {
 protected:
  IoPost::Work note(int number, std::function<void()> then = {}) {
    return [this, number, then = std::move(then)] {
      run_.push_back(number);
      if (then) then();
    };
  }
  asio::io_context io_{1};
  std::shared_ptr<IoPost> io_post_ = std::make_shared<IoPost>(io_);
  std::vector<int> run_;
};

TEST_F(IoPostTest, RefusesWhatComesUnaskedBeyondItsBytes) {
  constexpr std::size_t kBytes = 1024 * 1024;
  int taken = 0;
  while (taken < 1000 && io_post_->offer(note(taken), kBytes)) ++taken;
  EXPECT_EQ(taken, 16);
  io_post_->post(note(100));  // what a request waits for always comes
  io_.run();
  EXPECT_EQ(run_.size(), 17U);
  EXPECT_EQ(run_.back(), 100);
  EXPECT_TRUE(io_post_->offer(note(0), kBytes)) << "there is room again";
}

TEST_F(IoPostTest, RefusesWhatComesUnaskedBeyondItsNumber) {
  int taken = 0;
  while (taken < 100'000 && io_post_->offer(note(taken), 1)) ++taken;
  EXPECT_EQ(taken, 50'000);
}

TEST_F(IoPostTest, LetsOthersHaveTheirTurnBetweenManyPosts) {
  constexpr int kPosts = 400;
  // What each of them takes: by a clock, since that is what the others wait for.
  const auto work = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  std::size_t run_at_turn = 0;
  io_post_->post(note(0, [&] {
    work();
    asio::post(io_, [&] { run_at_turn = run_.size(); });
  }));
  for (int i = 1; i < kPosts; ++i) io_post_->post(note(i, work));
  io_.run();
  ASSERT_EQ(run_.size(), static_cast<std::size_t>(kPosts));
  EXPECT_LT(run_at_turn, 100U) << "80 ms in one turn";
  for (int i = 0; i < kPosts; ++i) EXPECT_EQ(run_[static_cast<std::size_t>(i)], i);
}

TEST_F(IoPostTest, WhatIsPostedWhileOthersRunFollowsThem) {
  io_post_->post(note(1, [&] { io_post_->post(note(3)); }));
  io_post_->post(note(2));
  io_.run();
  EXPECT_EQ(run_, (std::vector<int>{1, 2, 3}));
}

}  // namespace
}  // namespace toolway::gateway::loop
