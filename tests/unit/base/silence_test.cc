#include "base/silence.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

using std::chrono::seconds;
constexpr MonotonicTime kStart{seconds(1000)};

TEST(Silence, LastsFromTheFirstQuestionThatGotNoAnswer) {
  Silence silence;
  EXPECT_EQ(silence.length(kStart), seconds(0));
  silence.asked(kStart);
  silence.asked(kStart + seconds(2));
  EXPECT_EQ(silence.length(kStart + seconds(3)), seconds(3));
  EXPECT_FALSE(silence.ever_heard());
}

TEST(Silence, EndsWithAnAnswerAndBeginsWithTheNextQuestion) {
  Silence silence;
  silence.asked(kStart);
  silence.heard();
  EXPECT_TRUE(silence.ever_heard());
  EXPECT_EQ(silence.length(kStart + seconds(9)), seconds(0));
  silence.asked(kStart + seconds(10));
  EXPECT_EQ(silence.length(kStart + seconds(11)), seconds(1));
}

}  // namespace
}  // namespace toolway
