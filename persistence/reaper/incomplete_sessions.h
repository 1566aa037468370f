#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_map>

/// Sessions by how many of their calls are not completed: pure.
namespace toolway::persistence::reaper {

inline constexpr std::array<std::string_view, 6> kIncompleteRanges{"1",      "2-5",      "6-20",
                                                                   "21-100", "101-1000", "1001+"};
using IncompleteSessions =
    std::array<std::size_t, kIncompleteRanges.size()>;  ///< one number for each

/// `calls`: by session.
IncompleteSessions incomplete_sessions(
    const std::unordered_map<std::string_view, std::size_t>& calls);

}  // namespace toolway::persistence::reaper
