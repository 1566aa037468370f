#include "tools/messages/blocks.h"

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "base/json.h"
#include "base/utf8.h"
#include "tools/exports/model_results.h"
#include "tools/messages/image_header.h"
#include "tools/messages/shown.h"

namespace toolway::tools::messages {
namespace {

using model::ContentBlock;

constexpr std::string_view kTooLarge = "too large to show";

/// Places in a text are counted in bytes, and must be the same after it was written as JSON.
std::string as_utf8(std::string text) {
  if (valid_utf8(text)) return text;
  return parse_json(to_text(Json(text)))->get<std::string>();
}

/// The objects `/Type /Page` of a PDF (ISO 32000-1, 7.7.3.3) that are not compressed.
unsigned pages_in(std::string_view pdf) {
  constexpr std::string_view kType = "/Type";
  constexpr std::string_view kPage = "/Page";
  unsigned pages = 0;
  for (auto at = pdf.find(kType); at != std::string_view::npos; at = pdf.find(kType, at)) {
    at += kType.size();
    const auto name = pdf.find_first_not_of(" \t\r\n", at);
    if (name == std::string_view::npos || !pdf.substr(name).starts_with(kPage)) continue;
    const char next = pdf.substr(name + kPage.size(), 1).empty() ? ' ' : pdf[name + kPage.size()];
    const bool longer = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    if (!longer) ++pages;
  }
  return pages;
}

bool is_text(const ContentBlock& block) {
  return block.type == "resource" && block.mime_type.starts_with("text/");
}

tools::exports::BlockName name_of(const ContentBlock& block) {
  return {.type = block.type,
          .mime_type = block.mime_type,
          .name = block.name,
          .uri = block.uri,
          .bytes = block.data.size()};
}

/// A resource that is text: its line ends with that, and is all of the block.
void add_document(CallResult& result, const ContentBlock& block) {
  auto named = name_of(block);
  named.bytes = 0;
  Block made{.kind = Block::Kind::kDocument,
             .media_type = block.mime_type,
             .name = block.name.empty() ? block.uri : block.name,
             .at = result.text.size()};
  result.text += exports::block_line(named) + " ";
  made.label = result.text.size() - made.at;
  result.text += block.text;
  made.line = result.text.size() - made.at;
  if (!is_blank(block.text)) result.blocks.push_back(std::move(made));
}

void add_other(CallResult& result, const ContentBlock& block) {
  auto made = block.type == "image" || block.type == "resource"
                  ? block_of(block.mime_type, block.data)
                  : std::variant<Block, NoBlock>(NoBlock::kNotShown);
  const auto* no_block = std::get_if<NoBlock>(&made);
  const bool too_large = no_block != nullptr && *no_block == NoBlock::kTooLarge;
  const auto line = exports::block_line(name_of(block), too_large ? kTooLarge : std::string_view());
  if (auto* seen = std::get_if<Block>(&made)) {
    if (seen->kind == Block::Kind::kDocument)
      seen->name = block.name.empty() ? block.uri : block.name;
    seen->at = result.text.size();
    seen->line = line.size();
    result.blocks.push_back(std::move(*seen));
  }
  result.text += line;
  if (!block.text.empty()) result.text += " " + block.text;
}

bool is_elsewhere(const ContentBlock& block) {
  return block.type == "image" && block.data.empty() && is_image_url(block.uri);
}

void add_elsewhere(CallResult& result, const ContentBlock& block) {
  const auto line = exports::block_line(name_of(block));
  result.blocks.push_back(
      {.media_type = {}, .url = block.uri, .at = result.text.size(), .line = line.size()});
  result.text += line;
}

/// Without the line ends that are next to a block.
std::string_view between(std::string_view text, bool after_block, bool before_block) {
  if (after_block && text.starts_with('\n')) text.remove_prefix(1);
  if (before_block && text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

/// Takes blocks away that are more than `most` bytes: their lines stay, and say why they are all
/// there is. How many bytes are left.
std::size_t bound(std::string& text, std::vector<Block>& blocks, std::size_t most) {
  const auto why = ": " + std::string(kTooLarge);
  std::vector<Block> kept;
  std::size_t bytes = 0;
  std::size_t moved = 0;
  for (Block& block : blocks) {
    block.at += moved;
    const auto more = block.data.size() / 4 * 3;
    if (more > most - bytes) {
      text.insert(block.at + block.line - 1, why);
      moved += why.size();
    } else {
      bytes += more;
      kept.push_back(std::move(block));
    }
  }
  blocks = std::move(kept);
  return bytes;
}

}  // namespace

std::variant<Block, NoBlock> block_of(std::string_view media_type, std::string_view bytes) {
  Block made;
  if (media_type.starts_with("image/")) {
    const auto header = read_image_header(bytes);
    if (!header) return NoBlock::kNotShown;
    if (header->width > kMaxImageSide || header->height > kMaxImageSide) return NoBlock::kTooLarge;
    made.media_type = header->media_type;
    made.width = header->width;
    made.height = header->height;
  } else if (media_type == "application/pdf" && bytes.starts_with("%PDF-")) {
    made.kind = Block::Kind::kDocument;
    made.media_type = media_type;
    made.pages = pages_in(bytes);
    if (made.pages > kMaxPages) return NoBlock::kTooLarge;
  } else {
    return NoBlock::kNotShown;
  }
  if (bytes.size() > kMaxBlockBytes) return NoBlock::kTooLarge;
  made.data = base64(bytes);
  return made;
}

bool is_image_url(std::string_view url) {
  constexpr std::size_t kMaxUrlBytes = 8192;
  const auto is_of_url = [](char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; };
  return (url.starts_with("https://") || url.starts_with("http://")) &&
         url.size() <= kMaxUrlBytes && std::ranges::all_of(url, is_of_url);
}

void add_content(CallResult& result, std::vector<ContentBlock> content, Images images) {
  bool first = true;
  for (ContentBlock& block : content) {
    if (!std::exchange(first, false)) result.text += '\n';
    for (auto* text : {&block.type, &block.text, &block.mime_type, &block.uri, &block.name})
      *text = as_utf8(std::move(*text));
    if (is_text(block) && block.text.empty() && valid_utf8(block.data))
      block.text = std::exchange(block.data, {});
    if (block.type == "text") {
      result.text += block.text;
    } else if (is_text(block) && block.data.empty() && !block.text.empty()) {
      add_document(result, block);
    } else if (images == Images::kAlsoElsewhere && is_elsewhere(block)) {
      add_elsewhere(result, block);
    } else {
      add_other(result, block);
    }
  }
}

std::string_view document_text(const BlockText& of, const Block& block) {
  return of.text.substr(block.at + block.label, block.line - block.label);
}

std::string_view misplaced(const BlockText& of) {
  const auto text = of.text;
  const auto inside = [&](std::size_t place) {
    return place <= text.size() && (place == text.size() || !continues_character(text[place]));
  };
  std::size_t end = 0;
  for (const Block& block : of.blocks) {
    if (block.at < end || block.at > text.size() || block.line > text.size() - block.at)
      return "its line is not in the text, or not after that of the block before it";
    end = block.at + block.line;
    if (!inside(block.at) || !inside(end) || block.label > block.line ||
        !inside(block.at + block.label))
      return "its line begins or ends inside a character";
    const auto line = text.substr(block.at, block.line);
    if (!block.is_text() && (block.label != 0 || !line.starts_with('[') || !line.ends_with(']')))
      return "its line is not one that names a block";
    if (block.is_text() && is_blank(document_text(of, block))) return "it has no text";
  }
  return {};
}

std::vector<TextPiece> pieces_of(const BlockText& of, const std::vector<const Block*>& shown) {
  std::vector<TextPiece> pieces;
  std::size_t end = 0;
  const auto add_text = [&](std::size_t until, bool before_block) {
    const auto piece = between(of.text.substr(end, until - end), end > 0, before_block);
    if (!is_blank(piece)) pieces.push_back({.text = piece});
  };
  for (const Block& block : of.blocks) {
    if (std::ranges::find(shown, &block) == shown.end()) continue;
    add_text(block.at, true);
    pieces.push_back({.block = &block});
    end = block.at + block.line;
  }
  add_text(of.text.size(), false);
  return pieces;
}

CallResult inside_marker(CallResult result) {
  const std::string_view text = result.text;
  std::string shown;
  std::size_t end = 0;
  const auto add = [&](std::size_t until) {
    const auto piece = inside_marker(text.substr(end, until - end));
    if (shown.ends_with(']') && piece.starts_with(']')) shown += '\\';
    shown += piece;
    end = until;
  };
  for (Block& block : result.blocks) {
    add(block.at);
    const auto at = shown.size();
    add(block.at + block.label);
    const auto label = shown.size() - at;
    add(block.at + block.line);
    block.at = at;
    block.label = label;
    block.line = shown.size() - at;
  }
  add(text.size());
  result.text = std::move(shown);
  return result;
}

void cut_text(CallResult& result, std::size_t most, std::string_view note) {
  auto end = utf8_prefix(result.text, most).size();
  for (const Block& block : result.blocks)
    if (!block.is_text() && block.at < end && block.at + block.line > end) end = block.at;
  auto text = result.text.substr(0, end);
  text += note;
  std::vector<Block> blocks;
  for (Block& block : result.blocks) {
    const bool before = block.at + block.line <= end;
    if (!before && block.is_text()) continue;  // its text is cut off
    if (!before) {
      text += '\n';
      const auto at = text.size();
      text += std::string_view(result.text).substr(block.at, block.line);
      block.at = at;
    }
    blocks.push_back(std::move(block));
  }
  result.text = std::move(text);
  result.blocks = std::move(blocks);
}

std::size_t bound_blocks(std::vector<CallResult>& results, std::size_t most) {
  std::size_t bytes = 0;
  for (CallResult& result : results) bytes += bound(result.text, result.blocks, most - bytes);
  return bytes;
}

std::size_t bound_blocks(Message& message, std::size_t most) {
  const auto bytes = bound(message.text, message.blocks, most);
  return bytes + bound_blocks(message.results, most - bytes);
}

}  // namespace toolway::tools::messages
