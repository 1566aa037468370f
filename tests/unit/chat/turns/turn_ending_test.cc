#include "chat/turns/turn_ending.h"

#include <gtest/gtest.h>

namespace toolway::chat::turns {
namespace {

using engine::Reply;
using How = Reply::How;
using namespace std::chrono_literals;

TEST(TurnEnding, HasWhatTheModelSaidAndWhatBecameOfIt) {
  const auto memory = engine::make_memory("c");
  const auto replied = ending_of({.how = How::kReplied, .text = "Yes."}, *memory, 1);
  EXPECT_EQ((*replied)["reply"], "Yes.");
  EXPECT_FALSE(replied->contains("notice"));
  const auto cut = ending_of({.how = How::kCutOff, .text = "Half a", .notice = "cut"}, *memory, 1);
  EXPECT_EQ((*cut)["reply"], "Half a");
  EXPECT_EQ((*cut)["finish"], "cut_off");
  EXPECT_EQ((*cut)["notice"], "cut");
}

TEST(TurnEnding, AnErrorSaysWhetherAndWhenItPasses) {
  const auto memory = engine::make_memory("c");
  auto reply = engine::failed(
      providers::ProviderError{providers::ProviderError::Kind::kRateLimited, "slowly", 1500ms});
  auto error = ending_of(reply, *memory, 1).error();
  EXPECT_EQ(error.code, "rate_limited");
  EXPECT_TRUE(error.retryable);
  EXPECT_EQ(error.retry_after, 1500ms);
  reply = {.how = How::kRepeats, .text = "five times"};
  error = ending_of(reply, *memory, 1).error();
  EXPECT_EQ(error.code, "repeats");
  EXPECT_EQ(error.message, "five times");
  EXPECT_FALSE(error.retryable);
  EXPECT_EQ(
      ending_of(engine::ended({.how = turn::EndTurn::How::kNothingToDo}), *memory, 1).error().code,
      "invalid_arguments");
}

}  // namespace
}  // namespace toolway::chat::turns
