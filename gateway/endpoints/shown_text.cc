#include "gateway/endpoints/shown_text.h"

#include <algorithm>

namespace toolway::gateway::endpoints {
namespace {

constexpr std::string_view kNextParagraph = "\n\n";

}  // namespace

void ShownText::begin_attempt(std::uint32_t attempt) {
  if (attempts_ > 0 && attempt == attempt_) return;
  attempt_ = attempt;
  ++attempts_;
  again_ = 0;
}

void ShownText::end_message() { follows_ = true; }

std::optional<std::string> ShownText::add(std::string_view piece) {
  if (piece.empty()) return std::string();
  std::string shown;
  if (follows_) {
    follows_ = false;
    if (!all_.empty()) shown = show(kNextParagraph);
    message_ = all_.size();
    again_ = 0;
  }
  const auto known = message().substr(again_);
  const auto common = std::min(known.size(), piece.size());
  if (known.substr(0, common) != piece.substr(0, common)) return std::nullopt;
  again_ += piece.size();
  return shown + show(piece.substr(common));
}

std::optional<std::string> ShownText::complete(std::string_view reply) {
  // Its text may have been too much for the log of a call, or its process ended before it was told.
  if (follows_) return add(reply);
  if (!reply.starts_with(message())) return std::nullopt;
  return show(reply.substr(message().size()));
}

std::string ShownText::show(std::string_view piece) {
  all_ += piece;
  return std::string(piece);
}

}  // namespace toolway::gateway::endpoints
