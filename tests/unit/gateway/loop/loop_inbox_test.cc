#include "gateway/loop/loop_inbox.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace toolway::gateway::loop {
namespace {

class Note final : public Letter {
 public:
  Note(std::vector<int>& opened, int number, std::function<void()> then = {})
      : opened_(opened), number_(number), then_(std::move(then)) {}
  void open() override {
    opened_.push_back(number_);
    if (then_) then_();
  }

 private:
  std::vector<int>& opened_;
  int number_;
  std::function<void()> then_;
};

class LoopInboxTest : public testing::Test {
 protected:
  std::shared_ptr<Note> note(int number, std::function<void()> then = {}) {
    return std::make_shared<Note>(opened_, number, std::move(then));
  }
  asio::io_context io_{1};
  std::shared_ptr<LoopInbox> inbox_ = std::make_shared<LoopInbox>(io_);
  std::vector<int> opened_;
};

TEST_F(LoopInboxTest, RefusesWhatComesUnaskedBeyondItsBytes) {
  constexpr std::size_t kLetter = 1024 * 1024;
  int taken = 0;
  while (taken < 1000 && inbox_->offer(note(taken), kLetter)) ++taken;
  EXPECT_EQ(taken, 16);
  inbox_->post(note(100));  // what a request waits for always comes
  io_.run();
  EXPECT_EQ(opened_.size(), 17U);
  EXPECT_EQ(opened_.back(), 100);
  EXPECT_TRUE(inbox_->offer(note(0), kLetter)) << "there is room again";
}

TEST_F(LoopInboxTest, RefusesWhatComesUnaskedBeyondItsNumber) {
  int taken = 0;
  while (taken < 100'000 && inbox_->offer(note(taken), 1)) ++taken;
  EXPECT_EQ(taken, 50'000);
}

TEST_F(LoopInboxTest, LetsOthersHaveTheirTurnBetweenManyLetters) {
  constexpr int kLetters = 400;
  // What each letter takes: by a clock, since that is what the others wait for.
  const auto work = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  std::size_t opened_at_turn = 0;
  inbox_->post(note(0, [&] {
    work();
    asio::post(io_, [&] { opened_at_turn = opened_.size(); });
  }));
  for (int i = 1; i < kLetters; ++i) inbox_->post(note(i, work));
  io_.run();
  ASSERT_EQ(opened_.size(), static_cast<std::size_t>(kLetters));
  EXPECT_LT(opened_at_turn, 100U) << "80 ms in one turn";
  for (int i = 0; i < kLetters; ++i) EXPECT_EQ(opened_[static_cast<std::size_t>(i)], i);
}

TEST_F(LoopInboxTest, LettersThatArePostedWhileOthersAreOpenedFollowThem) {
  inbox_->post(note(1, [&] { inbox_->post(note(3)); }));
  inbox_->post(note(2));
  io_.run();
  EXPECT_EQ(opened_, (std::vector<int>{1, 2, 3}));
}

}  // namespace
}  // namespace toolway::gateway::loop
