#include "cli/terminal/short_ids.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace toolway::cli::terminal {
namespace {

std::string end_of(const std::string& id, std::size_t length) {
  return id.size() <= length ? id : id.substr(id.size() - length);
}

}  // namespace

std::vector<std::string> short_ids(const std::vector<std::string>& ids) {
  const std::set<std::string> all(ids.begin(), ids.end());
  std::size_t longest = kShortIdLength;
  for (const auto& id : all) longest = std::max(longest, id.size());
  auto length = kShortIdLength;
  for (; length < longest; ++length) {
    std::set<std::string> ends;
    for (const auto& id : all) ends.insert(end_of(id, length));
    if (ends.size() == all.size()) break;
  }
  std::vector<std::string> result;
  for (const auto& id : ids) result.push_back(end_of(id, length));
  return result;
}

bool may_mean(std::string_view given, std::string_view id) {
  if (given.size() > id.size()) return false;
  if (given.size() < kShortIdLength && given.size() != id.size()) return false;
  return same_word(given, id.substr(0, given.size())) ||
         same_word(given, id.substr(id.size() - given.size()));
}

}  // namespace toolway::cli::terminal
