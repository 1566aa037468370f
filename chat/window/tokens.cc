#include "chat/window/tokens.h"

#include <algorithm>
#include <cmath>

#include "base/utf8.h"
#include "chat/window/block_tokens.h"
#include "chat/window/pieces.h"
#include "tools/messages/blocks.h"

namespace toolway::chat::window {
namespace {

using tools::messages::Message;
using tools::messages::Part;

/// What an API writes around a message, and around a call or a result with its id.
const Piece kAroundMessage{.kind = Kind::kAround, .least = 2, .likely = 4, .most = 10};
const Piece kAroundCall{.kind = Kind::kAround, .least = 1, .likely = 4, .most = 20};

/// Anthropic publishes 159 to 530 by model, 346 of the newest.
const Piece kAnthropicTools{.kind = Kind::kTools, .least = 0, .likely = 346, .most = 550};
const Piece kOpenAiTools{.kind = Kind::kTools, .least = 0, .likely = 12, .most = 50};

/// In bytes. What is longer is hexadecimal, or the like.
constexpr std::size_t kLongestWord = 64;

void add(Tokens& to, const Piece& piece) {
  to.least += piece.least;
  to.most += piece.most;
  to.likely[static_cast<std::size_t>(piece.kind)] += piece.likely;
}

Tokens call_tokens(const tools::messages::Call& call) {
  Tokens tokens;
  add(tokens, kAroundCall);
  tokens += tokens_of(call.id);
  tokens += tokens_of(call.tool);
  tokens += tokens_of(call.arguments);
  return tokens;
}

/// Of a native form only some providers count all; what it has besides a text or a call is in any
/// case for the provider itself.
Tokens part_tokens(const Part& part) {
  auto tokens = part.kind == Part::Kind::kCall ? call_tokens(part.call) : tokens_of(part.text);
  if (!part.native) return tokens;
  auto native = tokens_of(to_text(part.native->value));
  tokens.most = std::max(tokens.most, native.most);
  if (part.kind == Part::Kind::kOpaque) tokens.likely = native.likely;
  return tokens;
}

/// With each block in place of its line.
Tokens shown_tokens(const tools::messages::BlockText& of) {
  Tokens tokens;
  std::vector<const tools::messages::Block*> all;
  for (const auto& block : of.blocks) all.push_back(&block);
  for (const auto& piece : tools::messages::pieces_of(of, all)) {
    if (piece.block == nullptr) {
      tokens += tokens_of(piece.text);
      continue;
    }
    add(tokens, kAroundCall);
    tokens += tokens_of(piece.block->name);
    add(tokens, piece_of(*piece.block));
    if (piece.block->is_text()) tokens += tokens_of(document_text(of, *piece.block));
  }
  return tokens;
}

}  // namespace

Tokens& Tokens::operator+=(const Tokens& other) {
  least += other.least;
  most += other.most;
  for (std::size_t i = 0; i < kKinds; ++i) likely[i] += other.likely[i];
  return *this;
}

Tokens operator-(const Tokens& one, const Tokens& other) {
  Tokens left{.least = one.least - other.least, .most = one.most - other.most};
  for (std::size_t i = 0; i < kKinds; ++i) left.likely[i] = one.likely[i] - other.likely[i];
  return left;
}

Tokens tokens_of(std::string_view text) {
  Tokens tokens;
  for (Pieces pieces(text); pieces.next();) add(tokens, pieces.piece());
  return tokens;
}

std::string_view prefix_within(std::string_view text, double most) {
  // No byte has more than a token.
  if (static_cast<double>(text.size()) <= most) return text;
  std::size_t end = 0;
  double sum = 1;  // a blank that is last has a token
  for (Pieces pieces(text); pieces.next(); end = pieces.end()) {
    const auto before = sum;
    sum += pieces.piece().most;
    if (sum <= most) continue;
    const bool is_word = pieces.end() - end <= kLongestWord;
    if (is_word || most <= before) return text.substr(0, end);
    return utf8_prefix(text, end + static_cast<std::size_t>(most - before));
  }
  return text;
}

Tokens tokens_of(const Message& message, tools::messages::Blocks blocks) {
  Tokens tokens;
  add(tokens, kAroundMessage);
  const bool of_user = blocks != tools::messages::Blocks::kAsText && !message.blocks.empty();
  tokens += of_user ? shown_tokens(tools::messages::BlockText(message)) : tokens_of(message.text);
  for (const Part& part : message.parts) tokens += part_tokens(part);
  for (const auto& result : message.results) {
    add(tokens, kAroundCall);
    tokens += tokens_of(result.call_id);
    const bool shown = blocks == tools::messages::Blocks::kShown && !result.blocks.empty();
    tokens += shown ? shown_tokens(tools::messages::BlockText(result)) : tokens_of(result.text);
  }
  return tokens;
}

Tokens tokens_of_tools(const OrderedJson& tools, tools::exports::ModelApi api) {
  if (tools.empty()) return {};
  const auto written = tokens_of(to_text(tools));
  // Servers write them out as they like, in less than half of it.
  Tokens tokens;
  add(tokens,
      {.kind = Kind::kTools, .least = 0, .likely = sum(written.likely), .most = written.most});
  add(tokens, api == tools::exports::ModelApi::kAnthropic ? kAnthropicTools : kOpenAiTools);
  return tokens;
}

}  // namespace toolway::chat::window
