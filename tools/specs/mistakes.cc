#include "tools/specs/mistakes.h"

#include <fmt/format.h>

#include <algorithm>

namespace toolway::tools {
namespace {

constexpr std::size_t kMostKept = 1000;

}  // namespace

std::string Mistake::text() const { return fmt::format("{}:{}: {}", origin, line, what); }

void Mistakes::add(int line, std::string what) {
  ++count_;
  // Found in no order of lines: keep more than are shown, within reason.
  if (found_.size() < 10 * kMostKept) found_.push_back({origin_, line, std::move(what)});
}

std::vector<Mistake> Mistakes::take() && {
  std::stable_sort(found_.begin(), found_.end(),
                   [](const Mistake& a, const Mistake& b) { return a.line < b.line; });
  if (found_.size() > kMostKept) {
    found_.resize(kMostKept);
    found_.push_back(
        {origin_, found_.back().line, fmt::format("and {} more mistakes", count_ - kMostKept)});
  }
  return std::move(found_);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return to_text(Json(text));
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return to_text(Json(std::string(text.substr(0, end)) + "…"));
}

}  // namespace toolway::tools
