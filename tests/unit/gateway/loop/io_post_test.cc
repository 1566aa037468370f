#include "gateway/loop/io_post.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace toolway::gateway::loop {
namespace {

class IoPostTest : public testing::Test {
 protected:
  using Callback = std::function<void(Result<std::string>)>;

  /// Notes what a coroutine gets that waits for a callback.
  Task<void> wait_for_answer() {
    auto start = [this](auto callback) { started(std::move(callback)); };
    const auto answer = co_await await_callback<std::string>(io_post_, std::move(start));
    run_.push_back(answer ? *answer : answer.error().message);
    answered_on_ = std::this_thread::get_id();
  }
  /// Until everything waits or has ended.
  void run() {
    io_.restart();
    io_.poll();
  }
  void begin() {
    asio::co_spawn(io_, wait_for_answer(), asio::detached);
    run();
  }

  asio::io_context io_{1};
  std::shared_ptr<IoPost> io_post_ = std::make_shared<IoPost>(io_);
  Callback callback_;
  /// What the awaited function does.
  std::function<void(Callback)> started = [this](Callback callback) {
    callback_ = std::move(callback);
  };
  std::vector<std::string> run_;
  std::thread::id answered_on_;
};

TEST_F(IoPostTest, AnAnswerOnTheIoContextsThreadContinuesTheCoroutineAtOnce) {
  begin();
  asio::post(io_, [this] {
    callback_(std::string("answer"));
    run_.emplace_back("after");
  });
  run();
  EXPECT_EQ(run_, (std::vector<std::string>{"answer", "after"}));
}

TEST_F(IoPostTest, AnAnswerBeforeTheFunctionReturnsComesAfterwards) {
  started = [this](const Callback& callback) {
    callback(std::string("answer"));
    run_.emplace_back("returns");
  };
  begin();
  EXPECT_EQ(run_, (std::vector<std::string>{"returns", "answer"}));
}

TEST_F(IoPostTest, AnAnswerOnAnotherThreadComesToTheIoContextsThread) {
  begin();
  std::thread other([this] { callback_(std::string("answer")); });
  other.join();
  EXPECT_TRUE(run_.empty());
  run();
  EXPECT_EQ(run_, (std::vector<std::string>{"answer"}));
  EXPECT_EQ(answered_on_, std::this_thread::get_id());
}

TEST_F(IoPostTest, WhatWaitsAtTheEndHearsOfIt) {
  begin();
  asio::post(io_, [this] { io_post_->abandon(); });
  run();
  ASSERT_EQ(run_.size(), 1U);
  callback_(std::string("too late"));
  begin();  // begins to wait after the end
  EXPECT_EQ(run_, (std::vector<std::string>(2, "this gateway is shutting down")));
}

TEST_F(IoPostTest, NothingComesOnceItIsClosed) {
  begin();
  io_post_->close();
  std::thread other([this] { callback_(std::string("answer")); });
  other.join();
  run();
  EXPECT_TRUE(run_.empty());
}

// The io_context may be gone when the bus gives up its last requests.
TEST_F(IoPostTest, AnAnswerAfterTheEndDoesNotAskWhoseThreadItIsOn) {
  begin();
  asio::post(io_, [this] {
    io_post_->close();
    EXPECT_FALSE(io_post_->here());
    callback_(std::string("too late"));
  });
  run();
  EXPECT_TRUE(run_.empty());
}

TEST_F(IoPostTest, RunsAtOnceOnTheIoContextsThread) {
  io_post_->run([this] { run_.emplace_back("posted"); });
  EXPECT_TRUE(run_.empty()) << "no thread runs the io_context";
  asio::post(io_, [this] {
    io_post_->run([this] { run_.emplace_back("at once"); });
    run_.emplace_back("after");
  });
  run();
  EXPECT_EQ(run_, (std::vector<std::string>{"posted", "at once", "after"}));
}

}  // namespace
}  // namespace toolway::gateway::loop
