#include "base/nearest_names.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace toolway {
namespace {

/// Names are short; what a client sent need not be, and cost grows with its length.
constexpr std::size_t kMaxCompared = 128;
/// And with their number. In products of lengths, about 1.2 ns each, so 3 ms at most: a gateway's
/// loop may wait for it.
constexpr std::size_t kMaxWork = 2'500'000;

std::string folded(std::string_view text) { return lowered(text.substr(0, kMaxCompared)); }

}  // namespace

std::size_t edit_distance(std::string_view first, std::string_view second) {
  const std::string a = folded(first);
  const std::string b = folded(second);
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::vector<std::string> nearest_names(std::string_view wanted,
                                       const std::vector<std::string>& candidates,
                                       std::size_t count) {
  const std::string needle = folded(wanted);
  std::vector<std::pair<std::size_t, std::string>> found;
  std::size_t work = 0;
  for (const auto& candidate : candidates) {
    const std::string name = folded(candidate);
    const std::size_t allowed = std::max<std::size_t>(2, std::min(needle.size(), name.size()) / 3);
    const bool holds =
        needle.size() >= 3 && name.size() >= 3 &&
        (name.find(needle) != std::string::npos || needle.find(name) != std::string::npos);
    const std::size_t longer =
        std::max(needle.size(), name.size()) - std::min(needle.size(), name.size());
    if (longer > allowed && !holds) continue;  // that many letters would have to be added
    work += needle.size() * name.size();
    if (work > kMaxWork) break;
    const std::size_t distance = edit_distance(wanted, candidate);
    if (distance <= allowed) {
      found.emplace_back(distance, candidate);
    } else if (holds) {
      found.emplace_back(kMaxCompared + distance, candidate);  // after what is close
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [distance, name] : found) {
    if (names.size() == count) break;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string quoted_choices(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += "'" + names[i] + "'";
  }
  return text;
}

}  // namespace toolway
