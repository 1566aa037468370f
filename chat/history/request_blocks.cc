#include "chat/history/request_blocks.h"

#include <algorithm>
#include <ranges>

#include "base/utf8.h"
#include "chat/history/blocks.h"
#include "chat/history/shown.h"

namespace toolway::chat::history {
namespace {

using tools::exports::ModelApi;

constexpr std::size_t kMaxImages = 20;
constexpr std::size_t kMaxDocuments = 100;
constexpr std::size_t kMaxRequestBytes = 20UL << 20;
constexpr std::size_t kMaxNameBytes = 200;
/// Of one page of a PDF that does not tell how many it has.
constexpr std::size_t kPageBytes = 30'000;

std::string shown_name(const Block& block) {
  return without_forged_markers(utf8_prefix(block.name, kMaxNameBytes));
}

bool takes(ModelApi api, const CallResult& result, const Block& block) {
  switch (api) {
    case ModelApi::kOpenAi: return false;
    case ModelApi::kOpenAiResponses: return !block.data.empty();
    case ModelApi::kAnthropic: return !result.is_error;
  }
  return false;
}

/// Counts what the blocks of one request have.
class Room {
 public:
  /// False: it has no room left for the block.
  bool take(const Block& block) {
    const bool image = block.kind == Block::Kind::kImage;
    const std::size_t images = images_ + (image ? 1 : 0);
    const std::size_t documents = documents_ + (image ? 0 : 1);
    const auto bytes = bytes_ + block.data.size();
    const auto pages = pages_ + (image || block.data.empty() ? 0 : likely_pages(block));
    if (images > kMaxImages || documents > kMaxDocuments || bytes > kMaxRequestBytes ||
        pages > kMaxPages)
      return false;
    images_ = images;
    documents_ = documents;
    bytes_ = bytes;
    pages_ = pages;
    return true;
  }

 private:
  std::size_t images_ = 0;
  std::size_t documents_ = 0;
  std::size_t bytes_ = 0;
  unsigned pages_ = 0;
};

OrderedJson anthropic_block(const CallResult& result, const Block& block) {
  OrderedJson made{{"type", block.kind == Block::Kind::kImage ? "image" : "document"}};
  if (block.data.empty())
    made["source"] = {{"type", "text"},
                      {"media_type", "text/plain"},
                      {"data", without_forged_markers(document_text(result, block))}};
  else
    made["source"] = {{"type", "base64"}, {"media_type", block.media_type}, {"data", block.data}};
  if (!block.name.empty()) made["title"] = shown_name(block);
  return made;
}

OrderedJson responses_part(const Block& block) {
  const auto url = "data:" + block.media_type + ";base64," + block.data;
  // `high` bounds what an image costs: `auto` may be all of its pixels.
  if (block.kind == Block::Kind::kImage)
    return {{"type", "input_image"}, {"image_url", url}, {"detail", "high"}};
  const auto name = shown_name(block);
  return {{"type", "input_file"},
          {"filename", name.empty() ? "document.pdf" : name},
          {"file_data", url}};
}

}  // namespace

Blocks blocks_of(ModelApi api) {
  return api == ModelApi::kOpenAi ? Blocks::kAsText : Blocks::kShown;
}

unsigned likely_pages(const Block& block) {
  if (block.pages > 0) return block.pages;
  return static_cast<unsigned>(
      std::min<std::size_t>(kMaxPages, 1 + block.data.size() / 4 * 3 / kPageBytes));
}

std::vector<const Block*> request_blocks(const Selection& selection, ModelApi api) {
  std::vector<const Block*> shown;
  Room room;
  for (const Message* message : std::views::reverse(selection))
    for (const CallResult& result : std::views::reverse(message->results))
      for (const Block& block : std::views::reverse(result.blocks))
        if (takes(api, result, block) && room.take(block)) shown.push_back(&block);
  return shown;
}

OrderedJson result_content(const CallResult& result, ModelApi api,
                           const std::vector<const Block*>& shown) {
  const bool any = std::ranges::any_of(result.blocks, [&](const Block& block) {
    return std::ranges::find(shown, &block) != shown.end();
  });
  if (!any) return without_forged_markers(result.text);
  const bool anthropic = api == ModelApi::kAnthropic;
  OrderedJson parts = OrderedJson::array();
  for (const auto& piece : pieces_of(result, shown)) {
    if (piece.block == nullptr)
      parts.push_back({{"type", anthropic ? "text" : "input_text"},
                       {"text", without_forged_markers(piece.text)}});
    else
      parts.push_back(anthropic ? anthropic_block(result, *piece.block)
                                : responses_part(*piece.block));
  }
  return parts;
}

}  // namespace toolway::chat::history
