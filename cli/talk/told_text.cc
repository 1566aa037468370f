#include "cli/talk/told_text.h"

#include <algorithm>

namespace toolway::cli::talk {

ToldText::New ToldText::add(std::string_view piece) {
  const auto known = std::string_view(all_).substr(said_);
  const auto common = std::min(known.size(), piece.size());
  if (known.substr(0, common) == piece.substr(0, common)) {
    said_ += piece.size();
    const auto rest = piece.substr(common);
    all_ += rest;
    return {.text = std::string(rest)};
  }
  all_.resize(said_);
  all_ += piece;
  said_ = all_.size();
  return {.text = all_.substr(message_), .begins_again = true};
}

}  // namespace toolway::cli::talk
