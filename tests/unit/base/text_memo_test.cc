#include "base/text_memo.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace toolway {
namespace {

class TextMemoTest : public testing::Test {
 protected:
  void put(const std::string& text, int made) {
    memo_.put(memo_.key_of(text), text.size(), std::make_shared<const int>(made));
  }
  int of(const std::string& text) {
    const auto found = memo_.find(memo_.key_of(text));
    return found ? *found : 0;
  }
  TextMemo<int> memo_{10};
};

TEST_F(TextMemoTest, KnowsWhatCame) {
  EXPECT_EQ(of("a"), 0);
  put("a", 1);
  put("b", 2);
  EXPECT_EQ(of("a"), 1);
  EXPECT_EQ(of("b"), 2);
  put("a", 3);
  EXPECT_EQ(of("a"), 1) << "what is made of a text is the same each time";
}

TEST_F(TextMemoTest, ForgetsWhatCameLongestAgo) {
  put("aaaa", 1);
  put("bbbb", 2);
  EXPECT_EQ(of("aaaa"), 1);
  put("cccc", 3);
  EXPECT_EQ(of("bbbb"), 0);
  EXPECT_EQ(of("aaaa"), 1);
  EXPECT_EQ(of("cccc"), 3);
  put("dddddddddd", 4);
  EXPECT_EQ(of("aaaa"), 0);
  EXPECT_EQ(of("cccc"), 0);
  EXPECT_EQ(of("dddddddddd"), 4);
}

TEST_F(TextMemoTest, WhatIsTooLongIsNotKeptAndDrivesNothingOut) {
  put("a", 1);
  put("bbbbbbbbbbb", 2);
  EXPECT_EQ(of("bbbbbbbbbbb"), 0);
  EXPECT_EQ(of("a"), 1);
}

TEST_F(TextMemoTest, SeveralThreadsShareIt) {
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        const int number = 1 + i % 7;
        const std::string text(static_cast<std::size_t>(number), 'x');
        put(text, number);
        const int found = of(text);
        if (found != 0 && found != number) ++wrong;
      }
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace toolway
