#include "cli/terminal/layout.h"

#include <algorithm>

namespace toolway::cli::terminal {
namespace {

std::size_t least_width(const ColumnNeed& need) {
  return need.least == 0 ? need.natural : std::min(need.least, need.natural);
}

/// Of all `places`, with what is between them.
std::size_t line_width(const std::vector<ColumnPlace>& places) {
  std::size_t sum = 0;
  for (const auto& place : places) sum += place.width + kColumnGap;
  return sum == 0 ? 0 : sum - kColumnGap;
}

std::vector<ColumnPlace> at_least_width(const std::vector<ColumnNeed>& needs) {
  std::vector<ColumnPlace> places;
  for (std::size_t i = 0; i < needs.size(); ++i) places.push_back({i, least_width(needs[i])});
  return places;
}

/// Of the columns with the highest rank, the last one goes. False: none may.
bool drop_one(const std::vector<ColumnNeed>& needs, std::vector<ColumnPlace>& places) {
  const auto first = std::max_element(places.rbegin(), places.rend(),
                                      [&](const ColumnPlace& a, const ColumnPlace& b) {
                                        return needs[a.column].rank < needs[b.column].rank;
                                      });
  if (first == places.rend() || needs[first->column].rank == 0) return false;
  places.erase(std::next(first).base());
  return true;
}

/// Gives what is left of the line to the columns that are cut: first to those of the lowest rank,
/// and of these to the narrowest, so that short values are whole before a long one takes the rest.
void grow(const std::vector<ColumnNeed>& needs, std::vector<ColumnPlace>& places,
          std::size_t left) {
  const auto earlier = [&](const ColumnPlace& a, const ColumnPlace& b) {
    const auto rank = [&](const ColumnPlace& place) { return needs[place.column].rank; };
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.width < b.width;
  };
  for (; left > 0; --left) {
    ColumnPlace* next = nullptr;
    for (auto& place : places) {
      if (place.width < needs[place.column].natural && (next == nullptr || earlier(place, *next)))
        next = &place;
    }
    if (next == nullptr) return;
    ++next->width;
  }
}

}  // namespace

std::vector<ColumnPlace> plan_columns(const std::vector<ColumnNeed>& needs, std::size_t width) {
  auto places = at_least_width(needs);
  if (width == 0) {
    for (auto& place : places) place.width = needs[place.column].natural;
    return places;
  }
  while (line_width(places) > width && drop_one(needs, places)) {
  }
  const auto used = line_width(places);
  if (used < width) grow(needs, places, width - used);
  return places;
}

}  // namespace toolway::cli::terminal
