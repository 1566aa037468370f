#include "tools/messages/request_blocks.h"

#include <algorithm>
#include <ranges>

#include "base/utf8.h"
#include "tools/messages/blocks.h"
#include "tools/messages/shown.h"

namespace toolway::tools::messages {
namespace {

using exports::ModelApi;

constexpr std::size_t kMaxImages = 20;
constexpr std::size_t kMaxDocuments = 100;
constexpr std::size_t kMaxRequestBytes = 20UL << 20;
constexpr std::size_t kMaxNameBytes = 200;
/// Of one page of a PDF that does not tell how many it has.
constexpr std::size_t kPageBytes = 30'000;

std::string shown_name(const Block& block) {
  return without_forged_markers(utf8_prefix(block.name, kMaxNameBytes));
}

/// `of`: the result that it is of; null: a message of the user.
bool takes(ModelApi api, const CallResult* of, const Block& block) {
  switch (api) {
    case ModelApi::kOpenAi: return of == nullptr && !block.is_text();
    case ModelApi::kOpenAiResponses: return !block.is_text();
    case ModelApi::kAnthropic: return of == nullptr || !of->is_error;
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
    const auto pages = pages_ + (image || block.is_text() ? 0 : likely_pages(block));
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

OrderedJson text_part(ModelApi api, std::string_view text) {
  return {{"type", api == ModelApi::kOpenAiResponses ? "input_text" : "text"}, {"text", text}};
}

OrderedJson anthropic_block(const Block& block, std::string_view document) {
  OrderedJson made{{"type", block.kind == Block::Kind::kImage ? "image" : "document"}};
  if (!block.url.empty())
    made["source"] = {{"type", "url"}, {"url", block.url}};
  else if (block.is_text())
    made["source"] = {{"type", "text"}, {"media_type", "text/plain"}, {"data", document}};
  else
    made["source"] = {{"type", "base64"}, {"media_type", block.media_type}, {"data", block.data}};
  if (!block.name.empty()) made["title"] = shown_name(block);
  return made;
}

/// `detail`: `high` bounds what an image costs; `auto` may be all of its pixels.
OrderedJson openai_part(ModelApi api, const Block& block) {
  const bool image = block.kind == Block::Kind::kImage;
  const auto url =
      block.url.empty() ? "data:" + block.media_type + ";base64," + block.data : block.url;
  const auto name = shown_name(block);
  const OrderedJson file{{"filename", name.empty() ? "document.pdf" : name}, {"file_data", url}};
  if (api == ModelApi::kOpenAi && image)
    return {{"type", "image_url"}, {"image_url", {{"url", url}, {"detail", "high"}}}};
  if (api == ModelApi::kOpenAi) return {{"type", "file"}, {"file", file}};
  if (image) return {{"type", "input_image"}, {"image_url", url}, {"detail", "high"}};
  OrderedJson part{{"type", "input_file"}};
  part.update(file);
  return part;
}

/// `said`: how a text is shown.
template <typename Text>
OrderedJson content_of(const BlockText& of, ModelApi api, const std::vector<const Block*>& shown,
                       Text said) {
  const bool any = std::ranges::any_of(of.blocks, [&](const Block& block) {
    return std::ranges::find(shown, &block) != shown.end();
  });
  if (!any) return said(of.text);
  OrderedJson parts = OrderedJson::array();
  for (const auto& piece : pieces_of(of, shown)) {
    if (piece.block == nullptr) {
      parts.push_back(text_part(api, said(piece.text)));
    } else if (api == ModelApi::kAnthropic) {
      const bool text = piece.block->is_text();
      parts.push_back(
          anthropic_block(*piece.block, text ? said(document_text(of, *piece.block)) : ""));
    } else {
      parts.push_back(openai_part(api, *piece.block));
    }
  }
  return parts;
}

}  // namespace

Blocks blocks_of(ModelApi api) {
  return api == ModelApi::kOpenAi ? Blocks::kOfUser : Blocks::kShown;
}

unsigned likely_pages(const Block& block) {
  if (block.pages > 0) return block.pages;
  return static_cast<unsigned>(
      std::min<std::size_t>(kMaxPages, 1 + block.data.size() / 4 * 3 / kPageBytes));
}

std::vector<const Block*> request_blocks(const Selection& selection, ModelApi api) {
  std::vector<const Block*> shown;
  Room room;
  const auto add = [&](const std::vector<Block>& blocks, const CallResult* of) {
    for (const Block& block : std::views::reverse(blocks))
      if (takes(api, of, block) && room.take(block)) shown.push_back(&block);
  };
  for (const Message* message : std::views::reverse(selection)) {
    add(message->blocks, nullptr);
    for (const CallResult& result : std::views::reverse(message->results))
      add(result.blocks, &result);
  }
  return shown;
}

OrderedJson result_content(const CallResult& result, ModelApi api,
                           const std::vector<const Block*>& shown) {
  const auto shown_text = [](std::string_view text) { return without_forged_markers(text); };
  return content_of(BlockText(result), api, shown, shown_text);
}

OrderedJson user_content(const Message& message, ModelApi api,
                         const std::vector<const Block*>& shown) {
  return content_of(BlockText(message), api, shown,
                    [](std::string_view text) { return std::string(text); });
}

}  // namespace toolway::tools::messages
