#include "persistence/reaper/incomplete_sessions.h"

#include <algorithm>

namespace toolway::persistence::reaper {

IncompleteSessions incomplete_sessions(
    const std::unordered_map<std::string_view, std::size_t>& calls) {
  constexpr std::array<std::size_t, kIncompleteRanges.size() - 1> kUpTo{1, 5, 20, 100, 1000};
  IncompleteSessions sessions{};
  for (const auto& [session, number] : calls) {
    const auto range = std::ranges::lower_bound(kUpTo, number);
    ++sessions[static_cast<std::size_t>(range - kUpTo.begin())];
  }
  return sessions;
}

}  // namespace toolway::persistence::reaper
