#include "cli/terminal/moment.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/text.h"

namespace toolway::cli::terminal {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

/// The number at `from`, of `digits` digits; nothing when there are others.
std::optional<int> number_at(std::string_view text, std::size_t from, std::size_t digits) {
  int number = 0;
  if (from + digits > text.size() || !parse_number(text.substr(from, digits), number) || number < 0)
    return std::nullopt;
  return number;
}

/// `.205219` as microseconds; nothing when it is another text.
std::optional<microseconds> fraction(std::string_view text) {
  if (text.empty()) return microseconds(0);
  if (text.front() != '.' || text.size() < 2) return std::nullopt;
  auto digits = std::string(text.substr(1, 6));
  digits.resize(6, '0');
  const auto micros = number_at(digits, 0, 6);
  return micros ? std::optional(microseconds(*micros)) : std::nullopt;
}

/// The largest unit of which there is one, and of days as many.
std::string rough(std::int64_t s) {
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min", s / 60);
  if (s < 48 * 3600) return fmt::format("{} h", s / 3600);
  return fmt::format("{} d", s / 86400);
}

}  // namespace

std::optional<WallTime> parse_moment(std::string_view rfc3339) {
  if (rfc3339.size() < 20 || rfc3339.back() != 'Z') return std::nullopt;
  if (rfc3339[4] != '-' || rfc3339[7] != '-' || rfc3339[10] != 'T' || rfc3339[13] != ':' ||
      rfc3339[16] != ':')
    return std::nullopt;
  const auto year = number_at(rfc3339, 0, 4);
  const auto month = number_at(rfc3339, 5, 2);
  const auto day = number_at(rfc3339, 8, 2);
  const auto hour = number_at(rfc3339, 11, 2);
  const auto minute = number_at(rfc3339, 14, 2);
  const auto second = number_at(rfc3339, 17, 2);
  const auto micros = fraction(rfc3339.substr(19, rfc3339.size() - 20));
  if (!year || !month || !day || !hour || !minute || !second || !micros) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         seconds(*second) + *micros;
}

std::string age_text(WallTime then, WallTime now) {
  const auto s = std::chrono::duration_cast<seconds>(now - then).count();
  if (s == 0) return "now";
  return s > 0 ? rough(s) + " ago" : "in " + rough(-s);
}

std::string moment_text(const std::string& rfc3339, const View& view) {
  const auto moment = parse_moment(rfc3339);
  if (!moment) return rfc3339;
  if (view.times == Times::kAge) return age_text(*moment, view.now);
  return view.fits() ? rfc3339.substr(0, 19) + "Z" : rfc3339;
}

std::string duration_text(microseconds duration) {
  const auto us = duration.count();
  if (us < 10'000) return fmt::format("{:.1f} ms", static_cast<double>(us) / 1e3);
  if (us < 1'000'000) return fmt::format("{} ms", us / 1000);
  if (us < 10'000'000) return fmt::format("{:.1f} s", static_cast<double>(us) / 1e6);
  const auto s = us / 1'000'000;
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

}  // namespace toolway::cli::terminal
