#include "chat/engine/shortened.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/utf8.h"
#include "chat/window/tokens.h"
#include "tools/messages/blocks.h"

namespace toolway::chat::engine {
namespace {

using tools::messages::CallResult;

std::string shortened_note(std::size_t bytes) {
  return fmt::format("\n\n[This is only the beginning: the whole result has {} bytes.]", bytes);
}

/// What each may have so that all of them have `most`: those that have less leave the rest to the
/// others.
double share_of(std::vector<double> sizes, double most) {
  std::ranges::sort(sizes);
  const auto all = most;
  auto left = static_cast<double>(sizes.size());
  for (const double size : sizes) {
    if (size * left > most) return most / left;
    most -= size;
    --left;
  }
  return all;
}

}  // namespace

void shorten(CallResult& result, std::size_t bytes, double tokens) {
  const auto whole = result.text.size();
  const auto kept = window::prefix_within(utf8_prefix(result.text, bytes), tokens).size();
  if (kept < whole) tools::messages::cut_text(result, kept, shortened_note(whole));
}

void bound(std::vector<CallResult>& results, const ResultBounds& bounds) {
  std::vector<double> sizes;
  for (const CallResult& result : results)
    sizes.push_back(window::tokens_of(utf8_prefix(result.text, bounds.bytes)).most);
  const auto share = share_of(std::move(sizes), bounds.tokens);
  for (CallResult& result : results) shorten(result, bounds.bytes, share);
  tools::messages::bound_blocks(results);
}

}  // namespace toolway::chat::engine
