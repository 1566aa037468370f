#include "gateway/endpoints/shown_text.h"

#include <algorithm>
#include <utility>

namespace toolway::gateway::endpoints {
namespace {

constexpr std::string_view kNextParagraph = "\n\n";

}  // namespace

void ShownText::begin_attempt(std::uint32_t attempt) {
  if (attempts_ > 0 && attempt == attempt_) return;
  attempt_ = attempt;
  ++attempts_;
  said_ = message_ = 0;
  follows_ = false;
}

void ShownText::end_message() { follows_ = true; }

std::optional<std::string> ShownText::add(std::string_view piece) {
  if (piece.empty()) return std::string();
  std::string shown;
  if (std::exchange(follows_, false)) {
    if (said_ > 0) {
      const auto parted = say(kNextParagraph);
      if (!parted) return std::nullopt;
      shown = *parted;
    }
    message_ = said_;
  }
  const auto said = say(piece);
  if (!said) return std::nullopt;
  return shown + *said;
}

std::optional<std::string> ShownText::complete(std::string_view reply) {
  // Its text may have been too much for the log of a call, or its process ended before it was told.
  if (follows_) return add(reply);
  const auto known = std::string_view(all_).substr(message_);
  if (!reply.starts_with(known)) return std::nullopt;
  return show(reply.substr(known.size()));
}

std::optional<std::string> ShownText::say(std::string_view piece) {
  const auto known = std::string_view(all_).substr(said_);
  const auto common = std::min(known.size(), piece.size());
  if (known.substr(0, common) != piece.substr(0, common)) return std::nullopt;
  said_ += piece.size();
  return show(piece.substr(common));
}

std::string ShownText::show(std::string_view piece) {
  all_ += piece;
  return std::string(piece);
}

}  // namespace toolway::gateway::endpoints
