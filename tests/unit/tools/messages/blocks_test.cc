#include "tools/messages/blocks.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "tests/unit/tools/messages/blocks.h"
#include "tools/messages/shown.h"

namespace toolway::tools::messages {
namespace {

using test::image_block;
using test::pdf;
using test::pdf_block;
using test::png;
using test::returned;
using test::text_block;
using test::text_document;

std::string line_of(const CallResult& result, std::size_t index) {
  const auto& block = result.blocks.at(index);
  return result.text.substr(block.at, block.line);
}

/// The pieces in words.
std::string pieces(const CallResult& result) {
  std::vector<const Block*> all;
  for (const auto& block : result.blocks) all.push_back(&block);
  std::string said;
  for (const auto& piece : pieces_of(BlockText(result), all))
    said += piece.block != nullptr ? "<" + piece.block->media_type + ">"
                                   : "'" + std::string(piece.text) + "'";
  return said;
}

TEST(Shown, ATextIsBlankWithoutAnythingToRead) {
  for (const auto* const text : {"", " ", "\t\r\n "}) EXPECT_TRUE(is_blank(text));
  for (const auto* const text : {"a", " .\n"}) EXPECT_FALSE(is_blank(text));
}

TEST(Blocks, KeepTheOrderOfWhatAToolReturned) {
  const auto result =
      returned("a", {text_block("Before"), image_block(png(2, 3)), text_block("Between\n"),
                     text_document("a,b\n1,2"), pdf_block(pdf(2)), text_block("After")});
  EXPECT_EQ(result.text,
            "Before\n[image image/png, 29 bytes]\nBetween\n\n"
            "[resource text/csv file:///a.csv] a,b\n1,2\n"
            "[resource application/pdf a.pdf file:///a, 64 bytes]\nAfter");
  ASSERT_EQ(result.blocks.size(), 3u);
  EXPECT_EQ(result.blocks[0].width, 2u);
  EXPECT_EQ(result.blocks[0].height, 3u);
  EXPECT_EQ(*from_base64(result.blocks[0].data), png(2, 3));
  EXPECT_EQ(line_of(result, 0), "[image image/png, 29 bytes]");
  EXPECT_EQ(document_text(BlockText(result), result.blocks[1]), "a,b\n1,2");
  EXPECT_EQ(result.blocks[1].name, "file:///a.csv");
  EXPECT_EQ(result.blocks[1].data, "") << "it is in the text already";
  EXPECT_EQ(result.blocks[2].name, "a.pdf");
  EXPECT_EQ(result.blocks[2].pages, 2u);
  EXPECT_EQ(misplaced(BlockText(result)), "");
  EXPECT_EQ(pieces(result), "'Before'<image/png>'Between\n'<text/csv><application/pdf>'After'");
}

TEST(Blocks, WhatIsNotShownIsALine) {
  const auto result = returned(
      "a", {image_block("not an image"),
            image_block(png(2, 3), "image/svg+xml"),
            {.type = "audio", .data = "abc", .mime_type = "audio/wav"},
            {.type = "resource_link", .uri = "test://b", .name = "b"},
            {.type = "image", .text = "(left out here: 5 bytes)", .mime_type = "image/png"},
            {.type = "resource", .text = " ", .mime_type = "text/plain"},
            {.type = "resource", .data = "\xff", .mime_type = "text/plain"},
            pdf_block("PDF"),
            image_block(png(8001, 1)),
            pdf_block(pdf(101))});
  // SVG it is not, whatever it is said to be.
  ASSERT_EQ(result.blocks.size(), 1u);
  EXPECT_EQ(result.blocks[0].media_type, "image/png");
  EXPECT_NE(result.text.find("[audio audio/wav, 3 bytes]\n[resource_link b test://b]\n"
                             "[image image/png] (left out here: 5 bytes)\n"),
            std::string::npos)
      << result.text;
  EXPECT_NE(result.text.find("[image image/png, 29 bytes: too large to show]\n"
                             "[resource application/pdf a.pdf file:///a, "),
            std::string::npos)
      << result.text;
  EXPECT_TRUE(result.text.ends_with("bytes: too large to show]"));
}

TEST(Blocks, OfFiveMegabytesInBase64AtMost) {
  EXPECT_TRUE(std::holds_alternative<Block>(block_of("image/png", png(1, 1, kMaxBlockBytes))));
  EXPECT_EQ(base64(png(1, 1, kMaxBlockBytes)).size(), 5u << 20);
  EXPECT_EQ(std::get<NoBlock>(block_of("image/png", png(1, 1, kMaxBlockBytes + 1))),
            NoBlock::kTooLarge);
  EXPECT_EQ(std::get<NoBlock>(block_of("image/png", png(1, kMaxImageSide + 1))),
            NoBlock::kTooLarge);
  EXPECT_TRUE(std::holds_alternative<Block>(block_of("image/png", png(1, kMaxImageSide))));
  EXPECT_EQ(std::get<NoBlock>(block_of("audio/wav", png(1, 1))), NoBlock::kNotShown);
  EXPECT_EQ(std::get<Block>(block_of("application/pdf", pdf(kMaxPages))).pages, kMaxPages);
}

TEST(Blocks, BytesOfATextAreOne) {
  const auto result =
      returned("a", {{.type = "resource", .data = "näme", .mime_type = "text/plain", .name = "n"}});
  EXPECT_EQ(result.text, "[resource text/plain n] näme");
  ASSERT_EQ(result.blocks.size(), 1u);
  EXPECT_EQ(document_text(BlockText(result), result.blocks[0]), "näme");
}

TEST(Blocks, BytesThatAreNotUtf8HaveTheirPlaces) {
  const auto result = returned("a", {text_block("\xff\xfe"), image_block(png(2, 3))});
  EXPECT_EQ(misplaced(BlockText(result)), "");
  EXPECT_EQ(result.text, "\uFFFD\uFFFD\n[image image/png, 29 bytes]");
}

TEST(Blocks, ThatAreMisplaced) {
  const auto good = returned("a", {text_block("ä"), image_block(png(2, 3)), text_document("x")});
  const auto wrong = [&](auto change) {
    auto result = good;
    change(result);
    return !misplaced(BlockText(result)).empty();
  };
  EXPECT_FALSE(wrong([](CallResult&) {}));
  EXPECT_TRUE(wrong([](CallResult& r) { r.blocks[0].at = 1; })) << "inside a character";
  EXPECT_TRUE(wrong([](CallResult& r) { r.blocks[0].at = 0; }));
  EXPECT_TRUE(wrong([](CallResult& r) { r.blocks[0].line = 1; }));
  EXPECT_TRUE(wrong([](CallResult& r) { r.blocks[0].at = static_cast<std::size_t>(-1); }));
  EXPECT_TRUE(wrong([](CallResult& r) { r.blocks[1].line = static_cast<std::size_t>(-1); }));
  EXPECT_TRUE(wrong([](CallResult& r) { std::swap(r.blocks[0], r.blocks[1]); }));
  EXPECT_TRUE(wrong([](CallResult& r) { r.blocks[1] = r.blocks[0]; }));
  EXPECT_TRUE(wrong([](CallResult& r) { r.blocks[1].label = r.blocks[1].line; })) << "no text";
  EXPECT_TRUE(wrong([](CallResult& r) { r.blocks[1].label = r.blocks[1].line + 1; }));
  EXPECT_TRUE(wrong([](CallResult& r) { r.text.pop_back(); }));
}

TEST(CutText, KeepsImagesThatCameAfterIt) {
  auto result =
      returned("a", {text_block(std::string(50, 'x')), image_block(png(2, 3)),
                     text_block(std::string(50, 'y')), text_document("gone"), pdf_block(pdf(1))});
  cut_text(result, 60, "\n[cut]");
  EXPECT_EQ(result.text, std::string(50, 'x') +
                             "\n\n[cut]\n[image image/png, 29 bytes]\n"
                             "[resource application/pdf a.pdf file:///a, 46 bytes]");
  ASSERT_EQ(result.blocks.size(), 2u);
  EXPECT_EQ(misplaced(BlockText(result)), "");
  EXPECT_EQ(line_of(result, 0), "[image image/png, 29 bytes]");
  EXPECT_EQ(result.blocks[1].media_type, "application/pdf");
}

TEST(CutText, LeavesWhatIsBeforeIt) {
  auto result = returned("a", {image_block(png(2, 3)), text_document(std::string(99, 'z'))});
  cut_text(result, 70, "!");
  EXPECT_TRUE(result.text.starts_with("[image image/png, 29 bytes]\n[resource text/csv"));
  EXPECT_TRUE(result.text.ends_with("z!"));
  ASSERT_EQ(result.blocks.size(), 1u) << "a document that is cut is text";
  EXPECT_EQ(misplaced(BlockText(result)), "");
}

TEST(BoundBlocks, TakesTheLastOnesAway) {
  std::vector<CallResult> results{
      returned("a", {text_block("One"), image_block(png(1, 1, 600)), text_document("stays")}),
      returned("b", {image_block(png(1, 1, 600)), image_block(png(1, 1, 300)),
                     text_document("stays, too"), pdf_block(pdf(1))})};
  bound_blocks(results, 1000);
  EXPECT_EQ(pieces(results[0]), "'One'<image/png><text/csv>");
  EXPECT_EQ(
      pieces(results[1]),
      "'[image image/png, 600 bytes: too large to show]'<image/png><text/csv><application/pdf>");
  for (const auto& result : results) EXPECT_EQ(misplaced(BlockText(result)), "");
  EXPECT_EQ(line_of(results[1], 0), "[image image/png, 300 bytes]");
}

TEST(BoundBlocks, OfAMessageOfTheUser) {
  auto said = returned("", {image_block(png(1, 1, 600)), image_block(png(1, 1, 600))});
  Message message{.role = Role::kUser, .text = said.text, .blocks = said.blocks};
  EXPECT_NEAR(static_cast<double>(bound_blocks(message, 1000)), 600, 3);
  EXPECT_EQ(message.text,
            "[image image/png, 600 bytes]\n[image image/png, 600 bytes: too large to show]");
  EXPECT_EQ(message.blocks.size(), 1u);
  EXPECT_EQ(misplaced(BlockText(message)), "");
}

}  // namespace
}  // namespace toolway::tools::messages
