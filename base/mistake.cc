#include "base/mistake.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/utf8.h"

namespace toolway {
namespace {

constexpr std::size_t kMostKept = 1000;

}  // namespace

std::string Mistake::text() const {
  return line == 0 ? fmt::format("{}: {}", place, message)
                   : fmt::format("{}:{}: {}", place, line, message);
}

void Mistakes::add(Mistake mistake) {
  ++count_;
  // Found in no order of lines: keep more than are shown, within reason.
  if (found_.size() < 10 * kMostKept) found_.push_back(std::move(mistake));
}

std::vector<Mistake> Mistakes::take() && {
  std::stable_sort(found_.begin(), found_.end(),
                   [](const Mistake& a, const Mistake& b) { return a.line < b.line; });
  if (found_.size() > kMostKept) {
    found_.resize(kMostKept);
    found_.push_back(
        {origin_, fmt::format("and {} more mistakes", count_ - kMostKept), found_.back().line});
  }
  return std::move(found_);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return to_text(Json(text));
  return to_text(Json(std::string(utf8_prefix(text, kLongest)) + "…"));
}

}  // namespace toolway
