#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace toolway {

/// How many characters must be inserted, removed, replaced or swapped with
/// their neighbour to turn `a` into `b`, letter case ignored. Costs the product of the lengths.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Those of `candidates` that `wanted` may have been meant to be, nearest
/// first, at most `count`: close by edits, or one holds the other.
std::vector<std::string> nearest_names(std::string_view wanted,
                                       const std::vector<std::string>& candidates,
                                       std::size_t count = 3);

/// `'a', 'b' or 'c'`
std::string quoted_choices(const std::vector<std::string>& names);

}  // namespace toolway
