#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/specs/located.h"

namespace toolway::tools::specs {

/// A line of one of several texts.
struct Place {
  std::string origin;
  int line = 0;
};

/// Numbers for the lines of several texts, so that a tree that was put together from them can carry
/// them as its lines, and what is wrong in it is told where it was written.
class Places {
 public:
  int number_of(const std::string& origin, int line) {
    const auto [known, is_new] =
        numbers_.try_emplace({origin, line}, static_cast<int>(places_.size()) + 1);
    if (is_new) places_.push_back({origin, line});
    return known->second;
  }
  const Place& at(int number) const { return places_.at(static_cast<std::size_t>(number) - 1); }

  /// A copy of a tree of `origin` whose lines are numbers of here.
  Located numbered(const Located& tree, const std::string& origin) {
    Located copy{.shape = tree.shape,
                 .line = number_of(origin, tree.line),
                 .scalar = tree.scalar,
                 .members = {}};
    copy.members.reserve(tree.members.size());
    for (const auto& member : tree.members) {
      copy.members.push_back(
          {member.key, number_of(origin, member.line), numbered(member.value, origin)});
    }
    return copy;
  }

 private:
  std::map<std::pair<std::string, int>, int> numbers_;
  std::vector<Place> places_;
};

}  // namespace toolway::tools::specs
