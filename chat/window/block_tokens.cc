#include "chat/window/block_tokens.h"

#include <algorithm>
#include <cmath>

#include "tools/messages/request_blocks.h"

namespace toolway::chat::window {
namespace {

using tools::messages::Block;

// Anthropic (platform.claude.com/docs/en/build-with-claude/vision): width * height / 750, of an
// image that is scaled down to 1,600 tokens; of the models that see more, to 4,784.
constexpr double kPixelsPerToken = 750;
constexpr double kUsualTokens = 1600;
constexpr double kMaxTokens = 4784;
// OpenAI (developers.openai.com/api/docs/guides/images-vision): one for each 32 x 32 pixels, of
// 1,536 at most, times up to 2.46; or 85 and 170 for each 512 x 512 pixels.
constexpr double kPatchSide = 32;
constexpr double kPatchFactor = 2.46;
constexpr double kTileSide = 512;
constexpr double kFirstTile = 85;
constexpr double kTile = 170;
constexpr double kMaxTiles = 8;  // of 768 x 2048 pixels, to which larger ones are scaled down
// Anthropic (…/pdf-support): 1,500 to 3,000 for the text of a page, and its image.
constexpr double kPageText = 3000;
constexpr double kUsualPage = 2300;
/// Least part of what is likely: a server may scale an image down further.
constexpr double kLeastPart = 8;

double parts(std::uint32_t pixels, double side) { return std::ceil(pixels / side); }

Piece piece(double likely, double most) {
  return {.kind = Kind::kImage, .least = likely / kLeastPart, .likely = likely, .most = most};
}

Piece piece_of_image(const Block& image) {
  // Where it is elsewhere, its pixels are not known.
  if (!image.url.empty()) return piece(kUsualTokens, kMaxTokens);
  const auto by_pixels = static_cast<double>(image.width) * image.height / kPixelsPerToken;
  const auto patches =
      parts(image.width, kPatchSide) * parts(image.height, kPatchSide) * kPatchFactor;
  const auto tiles = parts(image.width, kTileSide) * parts(image.height, kTileSide);
  const auto by_tiles = kFirstTile + kTile * std::min(tiles, kMaxTiles);
  const auto most = std::max({by_pixels, patches, by_tiles});
  return piece(std::clamp(by_pixels, 1.0, kUsualTokens), std::min(most, kMaxTokens));
}

}  // namespace

Piece piece_of(const Block& block) {
  if (block.is_text()) return {.kind = Kind::kImage};
  if (block.kind == Block::Kind::kImage) return piece_of_image(block);
  const double pages = tools::messages::likely_pages(block);
  return piece(pages * kUsualPage, pages * (kPageText + kUsualTokens));
}

}  // namespace toolway::chat::window
