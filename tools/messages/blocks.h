#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/messages/message.h"
#include "tools/model/tool.h"

/// The blocks of results and messages: which a model can see, and where they are in the text. Pure.
namespace toolway::tools::messages {

// What APIs take, as they publish it: platform.claude.com/docs/en/build-with-claude/vision (JPEG,
// PNG, GIF and WebP; 5 MB of base64, 8000 x 8000 pixels) and …/pdf-support (100 pages of a
// request); developers.openai.com/api/docs/guides/images-vision takes more.
inline constexpr std::size_t kMaxBlockBytes = (5UL << 20) / 4 * 3;
inline constexpr std::uint32_t kMaxImageSide = 8000;
inline constexpr unsigned kMaxPages = 100;
/// Of the results of one message together: with their base64 a row of Postgres has less than 6 MB.
/// A call of the fleet has less in any case (workers/log/completion.h).
inline constexpr std::size_t kMaxMessageBlockBytes = 4UL << 20;

/// Why bytes are not a block.
enum class NoBlock {
  kNotShown,  ///< of a kind that models do not take, or not what its type says
  kTooLarge,
};
/// An image or a PDF, without a place. `media_type`: as its sender has it.
std::variant<Block, NoBlock> block_of(std::string_view media_type, std::string_view bytes);

/// Whether a provider may be told to read an image from there: an address of the web, of at most
/// 8 KiB, as it is written in a request (RFC 3986).
bool is_image_url(std::string_view url);

/// Whose images are blocks.
enum class Images {
  kHere,           ///< those with their bytes
  kAlsoElsewhere,  ///< and those at a URL, which a user has chosen and a provider reads
};

/// Adds what a tool returned to an empty result, in its order: texts, and a line of text for
/// everything else. What a model can see is a block besides.
void add_content(CallResult& result, std::vector<model::ContentBlock> content,
                 Images images = Images::kHere);

/// A text and its blocks, of a result or of a message. Both outlive it.
struct BlockText {
  explicit BlockText(const CallResult& of) : text(of.text), blocks(of.blocks) {}
  explicit BlockText(const Message& of) : text(of.text), blocks(of.blocks) {}
  std::string_view text;
  std::span<const Block> blocks;
};

/// The text of a document that is text.
std::string_view document_text(const BlockText& of, const Block& block);

/// What is wrong with the blocks' places in the text; empty: nothing.
std::string_view misplaced(const BlockText& of);

/// A text, or a block in place of its line.
struct TextPiece {
  std::string_view text{};
  const Block* block = nullptr;
};
/// In their order; no text is blank. The line ends around a block are not part of the texts.
std::vector<TextPiece> pieces_of(const BlockText& of, const std::vector<const Block*>& shown);

/// The result as it is shown inside a marker (shown.h), its blocks' lines, too.
CallResult inside_marker(CallResult result);

/// Leaves the first `most` bytes of the text, and after them `note` and the lines of the blocks
/// that were further back.
void cut_text(CallResult& result, std::size_t most, std::string_view note);

/// Takes the blocks away that are more than `most` bytes together; their lines say so. How many
/// bytes are left.
std::size_t bound_blocks(std::vector<CallResult>& results,
                         std::size_t most = kMaxMessageBlockBytes);
/// The same of a message of any role.
std::size_t bound_blocks(Message& message, std::size_t most);

}  // namespace toolway::tools::messages
