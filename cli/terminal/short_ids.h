#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Ids of calls, shortened. A UUIDv7 begins with its time, so calls of one minute share their
/// first characters: the short form is an id's end. Pure.
namespace toolway::cli::terminal {

inline constexpr std::size_t kShortIdLength = 8;

/// The end of each id: of one length, so long that no two are the same, and at least
/// kShortIdLength characters. An id that is not longer is whole.
std::vector<std::string> short_ids(const std::vector<std::string>& ids);

/// Whether `given` may mean `id`: its end, or its beginning, of at least kShortIdLength
/// characters, letter case ignored; or all of it.
bool may_mean(std::string_view given, std::string_view id);

}  // namespace toolway::cli::terminal
