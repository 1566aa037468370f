#include "chat/engine/shortened.h"

#include <gtest/gtest.h>

#include <string>

#include "chat/window/tokens.h"

namespace toolway::chat::engine {
namespace {

using tools::messages::CallResult;

std::string words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "word ";
  return text;
}

std::vector<CallResult> of(const std::vector<std::string>& texts) {
  std::vector<CallResult> results;
  for (const auto& text : texts) results.push_back({.call_id = "c", .text = text});
  return results;
}

/// What is left of a text, without the note.
std::string_view beginning(const CallResult& result) {
  return std::string_view(result.text).substr(0, result.text.find("\n\n[This is only"));
}

TEST(Shortened, SaysHowLongTheWholeIs) {
  CallResult result{.call_id = "c", .text = "12345"};
  shorten(result, 5, 100);
  EXPECT_EQ(result.text, "12345");
  result.text = "12345678";
  shorten(result, 5, 100);
  EXPECT_EQ(result.text, "12345\n\n[This is only the beginning: the whole result has 8 bytes.]");
}

TEST(Shortened, ByTokens) {
  CallResult result{.call_id = "c", .text = words(1000)};
  shorten(result, 1'000'000, 100);
  EXPECT_LE(window::tokens_of(beginning(result)).most, 100);
  EXPECT_GT(window::tokens_of(beginning(result)).most, 90);
  EXPECT_TRUE(result.text.ends_with("the whole result has 5000 bytes.]"));
}

TEST(Shortened, WhatHasNoWords) {
  CallResult result{.call_id = "c", .text = std::string(100'000, 'x')};
  shorten(result, 1'000'000, 100);
  EXPECT_GE(beginning(result).size(), 90U);
}

TEST(Shortened, TheLongestResultsGiveWay) {
  auto results = of({words(5), words(4000), "", words(3000), words(40)});
  bound(results, {.bytes = 100'000, .tokens = 1000});
  EXPECT_EQ(results[0].text, words(5));
  EXPECT_EQ(results[2].text, "");
  EXPECT_EQ(results[4].text, words(40));
  EXPECT_EQ(beginning(results[1]), beginning(results[3])) << "to the same length";
  double tokens = 0;
  for (const auto& result : results) tokens += window::tokens_of(beginning(result)).most;
  EXPECT_LE(tokens, 1000);
  EXPECT_GT(tokens, 950) << "and no further than they must";
}

TEST(Shortened, WhatFitsStays) {
  auto results = of({words(100), words(200)});
  bound(results, {.bytes = 100'000, .tokens = 10'000});
  EXPECT_EQ(results[1].text, words(200));
  results.clear();
  bound(results, {.bytes = 100, .tokens = 0});
  EXPECT_TRUE(results.empty());
}

}  // namespace
}  // namespace toolway::chat::engine
