#include "chat/window/block_tokens.h"

#include <gtest/gtest.h>

#include "chat/window/tokens.h"
#include "tests/unit/chat/messages.h"

namespace toolway::chat::window {
namespace {

using tools::messages::Block;

double likely_of(const Block& block) { return piece_of(block).likely; }
Block image(std::uint32_t width, std::uint32_t height) {
  return {.data = "x", .width = width, .height = height};
}

TEST(BlockTokens, OfAnImageAreByItsPixels) {
  EXPECT_NEAR(likely_of(image(1000, 1000)), 1333, 1);
  EXPECT_NEAR(likely_of(image(200, 200)), 53, 1);
  EXPECT_EQ(likely_of(image(8000, 8000)), 1600);
  EXPECT_EQ(likely_of(image(1, 1)), 1);
  EXPECT_EQ(piece_of(image(8000, 8000)).most, 4784);
  // 32 x 32 patches of 32 pixels, times 2.46.
  EXPECT_NEAR(piece_of(image(1024, 1024)).most, 2519, 1);
  EXPECT_EQ(piece_of(image(1, 1)).most, 85 + 170) << "a tile";
  EXPECT_EQ(piece_of(image(600, 100)).most, 85 + 2 * 170);
}

TEST(BlockTokens, OfAnImageElsewhereMayBeThoseOfAny) {
  const auto tokens = piece_of({.url = "https://a.example/b.png"});
  EXPECT_EQ(tokens.likely, 1600);
  EXPECT_EQ(tokens.most, 4784);
}

TEST(BlockTokens, AreInTheirBounds) {
  for (const std::uint32_t width : {1U, 31U, 33U, 512U, 513U, 3000U, 8000U, 0xFFFFFFFFU})
    for (const std::uint32_t height : {1U, 100U, 2048U, 0xFFFFFFFFU}) {
      const auto tokens = piece_of(image(width, height));
      EXPECT_LE(tokens.least, tokens.likely);
      EXPECT_LE(tokens.likely, tokens.most) << width << "x" << height;
      EXPECT_LE(tokens.most, 4784);
    }
}

TEST(BlockTokens, OfADocumentAreByItsPages) {
  const Block three{.kind = Block::Kind::kDocument, .data = "x", .pages = 3};
  EXPECT_EQ(likely_of(three), 6900) << "7,000 of three pages, as Anthropic has it";
  EXPECT_EQ(piece_of(three).most, 13'800);
  const Block text{.kind = Block::Kind::kDocument, .media_type = "text/plain"};
  EXPECT_EQ(piece_of(text).most, 0) << "its text is counted";
}

TEST(BlockTokens, CountWhereTheyAreShown) {
  tools::messages::Message message{.role = tools::messages::Role::kResults};
  message.results = {test::returned(
      "a", {test::text_block("Look: a picture"), test::image_block(test::png(1000, 1000)),
            test::text_document("one two three four")})};
  const auto shown = tokens_of(message, tools::messages::Blocks::kShown);
  const auto as_text = tokens_of(message, tools::messages::Blocks::kAsText);
  EXPECT_NEAR(sum(shown.likely), sum(as_text.likely) + 1333, 30);
  EXPECT_GT(shown.most, as_text.most + 2000);
  EXPECT_EQ(tokens_of(message), as_text);
  message.results.front().blocks.clear();
  EXPECT_EQ(tokens_of(message, tools::messages::Blocks::kShown), as_text);
}

TEST(BlockTokens, OfTheUserCountByThemselves) {
  const auto message = test::shows({test::image_block(test::png(1000, 1000))});
  EXPECT_GT(sum(tokens_of(message, tools::messages::Blocks::kOfUser).likely), 1333);
  EXPECT_EQ(tokens_of(message, tools::messages::Blocks::kShown),
            tokens_of(message, tools::messages::Blocks::kOfUser));
  EXPECT_LT(sum(tokens_of(message, tools::messages::Blocks::kAsText).likely), 50);
  tools::messages::Message results{.role = tools::messages::Role::kResults};
  results.results = {test::returned("a", {test::image_block(test::png(1000, 1000))})};
  EXPECT_EQ(tokens_of(results, tools::messages::Blocks::kOfUser), tokens_of(results));
}

}  // namespace
}  // namespace toolway::chat::window
