#include "tools/builtin/time_zones.h"

#include <date/tz.h>
#include <fmt/format.h>

#include <cstdlib>

#include "base/json.h"
#include "base/nearest_names.h"

namespace toolway::tools::builtin {
namespace {

/// Zone names as tzdata has them: no path tricks reach the library.
bool looks_like_a_zone(const std::string& zone) {
  return !zone.empty() && zone.size() <= 64 && zone.front() != '/' && zone.front() != '.' &&
         zone.find("..") == std::string::npos &&
         zone.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/") ==
             std::string::npos;
}

tl::unexpected<Error> unknown(const std::string& zone) {
  std::vector<std::string> near;
  if (const auto* tzdb = &date::get_tzdb(); zone.size() <= 64) {
    std::vector<std::string> names;
    for (const auto& known : tzdb->zones) names.push_back(known.name());
    near = nearest_names(zone, names);
  }
  const std::string shown = to_text(Json(zone.substr(0, 80)));
  return fail(ErrorCode::kInvalidArguments,
              near.empty()
                  ? fmt::format("/timezone: {} is not an IANA time zone; expected one like "
                                "'Europe/Berlin' or 'UTC'",
                                shown)
                  : fmt::format("/timezone: {} is not an IANA time zone; did you mean {}?", shown,
                                quoted_choices(near)));
}

std::string offset_text(std::chrono::seconds offset) {
  const auto minutes = std::abs(std::chrono::duration_cast<std::chrono::minutes>(offset).count());
  return fmt::format("{}{:02}:{:02}", offset.count() < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

}  // namespace

Result<ZonedTime> in_zone(std::chrono::sys_time<std::chrono::microseconds> time,
                          const std::string& zone) {
  if (!looks_like_a_zone(zone)) return unknown(zone);
  try {
    const date::time_zone* found = date::locate_zone(zone);
    const auto offset = found->get_info(time).offset;
    const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(time);
    const auto local =
        date::local_time<std::chrono::milliseconds>(milliseconds.time_since_epoch() + offset);
    return ZonedTime{
        .iso8601 = date::format("%FT%T", local) + offset_text(offset),
        .timezone = zone,
        .utc_offset = offset_text(offset),
    };
  } catch (const std::runtime_error&) {  // the library's way of saying that there is none
    return unknown(zone);
  }
}

}  // namespace toolway::tools::builtin
