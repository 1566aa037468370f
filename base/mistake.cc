#include "base/mistake.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/utf8.h"

namespace toolway {
namespace {

constexpr std::size_t kMaxMistakes = 1000;

}  // namespace

std::string Mistake::text() const {
  if (line != 0) return fmt::format("{}:{}: {}", place, line, message);
  return place.empty() ? message : fmt::format("{}: {}", place, message);
}

void Mistakes::add(Mistake mistake) {
  ++count_;
  // Found in no order of lines: keep more than are shown, within reason.
  if (found_.size() < 10 * kMaxMistakes) found_.push_back(std::move(mistake));
}

std::vector<Mistake> Mistakes::take() && {
  std::stable_sort(found_.begin(), found_.end(),
                   [](const Mistake& a, const Mistake& b) { return a.line < b.line; });
  if (found_.size() > kMaxMistakes) {
    found_.resize(kMaxMistakes);
    found_.push_back(
        {origin_, fmt::format("and {} more mistakes", count_ - kMaxMistakes), found_.back().line});
  }
  return std::move(found_);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMaxQuoted = 60;
  if (text.size() <= kMaxQuoted) return to_text(Json(text));
  return to_text(Json(std::string(utf8_prefix(text, kMaxQuoted)) + "…"));
}

}  // namespace toolway
