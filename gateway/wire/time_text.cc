#include "gateway/wire/time_text.h"

#include <array>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace toolway::gateway::wire {
namespace {

using std::chrono::microseconds;

constexpr std::array<std::pair<std::string_view, microseconds>, 5> kUnits{
    {{"ms", std::chrono::milliseconds(1)},
     {"s", std::chrono::seconds(1)},
     {"m", std::chrono::minutes(1)},
     {"h", std::chrono::hours(1)},
     {"d", std::chrono::hours(24)}}};
constexpr std::chrono::hours kLongest{24 * 3650};

/// Takes a number of exactly `digits` digits off the front of a text.
class DigitReader {
 public:
  explicit DigitReader(std::string_view text) : rest_(text) {}

  std::optional<int> number(std::size_t digits) {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }
  /// Takes one of `characters`. False: something else is there.
  bool take(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  char next() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::optional<std::chrono::sys_days> read_date(DigitReader& text) {
  const auto year = text.number(4);
  if (!year || !text.take("-")) return std::nullopt;
  const auto month = text.number(2);
  if (!month || !text.take("-")) return std::nullopt;
  const auto day = text.number(2);
  if (!day) return std::nullopt;
  const auto date = std::chrono::year(*year) / *month / *day;
  if (*year < 1970 || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

/// Hours and minutes, which the time of a day and an offset begin with.
std::optional<microseconds> read_hours_and_minutes(DigitReader& text) {
  const auto hours = text.number(2);
  if (!hours || !text.take(":")) return std::nullopt;
  const auto minutes = text.number(2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
}

/// Seconds, with a fraction or without; a leap second counts as the next one.
std::optional<microseconds> read_seconds(DigitReader& text) {
  const auto seconds = text.number(2);
  if (!seconds || *seconds > 60) return std::nullopt;
  microseconds time = std::chrono::seconds(*seconds);
  if (!text.take(".")) return time;
  int digits = 0;
  for (microseconds unit = std::chrono::milliseconds(100); text.next() >= '0' && text.next() <= '9';
       unit /= 10, ++digits)
    time += unit * *text.number(1);
  if (digits == 0) return std::nullopt;
  return time;
}

std::optional<microseconds> read_offset(DigitReader& text) {
  if (text.take("Zz")) return microseconds(0);
  const bool east = text.next() == '+';
  if (!text.take("+-")) return std::nullopt;
  const auto offset = read_hours_and_minutes(text);
  if (!offset) return std::nullopt;
  return east ? *offset : -*offset;
}

std::optional<WallTime> parse_rfc3339(std::string_view whole) {
  DigitReader text(whole);
  const auto date = read_date(text);
  if (!date || !text.take("Tt ")) return std::nullopt;
  const auto of_day = read_hours_and_minutes(text);
  if (!of_day || !text.take(":")) return std::nullopt;
  const auto seconds = read_seconds(text);
  if (!seconds) return std::nullopt;
  const auto offset = read_offset(text);
  if (!offset || !text.done()) return std::nullopt;
  return WallTime(*date) + *of_day + *seconds - *offset;
}

}  // namespace

std::optional<microseconds> parse_duration(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789.");
  if (end == std::string_view::npos || end == 0 || text.front() == '.') return std::nullopt;
  double number = 0;
  if (!parse_number(text.substr(0, end), number)) return std::nullopt;
  for (const auto& [name, unit] : kUnits) {
    if (text.substr(end) != name) continue;
    const std::chrono::duration<double, std::micro> exact = number * unit;
    if (exact > kLongest) return std::nullopt;
    return std::chrono::round<microseconds>(exact);
  }
  return std::nullopt;
}

std::optional<WallTime> parse_moment(std::string_view text, WallTime now) {
  if (const auto age = parse_duration(text)) return now - *age;
  return parse_rfc3339(text);
}

HttpResult<std::optional<WallTime>> parse_moment(const Target& target, std::string_view name,
                                                 WallTime now) {
  const auto text = target.query(name);
  if (!text) return std::optional<WallTime>();
  const auto time = parse_moment(*text, now);
  if (!time)
    return refuse(invalid_parameter(
        name, "format",
        "expected a time of RFC 3339 (2026-01-31T12:00:00Z), or an age in ms, s, m, h or d (15m)"));
  return time;
}

}  // namespace toolway::gateway::wire
