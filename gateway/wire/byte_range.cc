#include "gateway/wire/byte_range.h"

#include <algorithm>
#include <optional>

#include "base/digits.h"
#include "base/text.h"

namespace toolway::gateway::wire {
ByteRange parse_range(std::string_view header, std::uint64_t size) {
  const ByteRange whole{ByteRange::Kind::kWhole, 0, size};
  const auto equals = header.find('=');
  if (equals == std::string_view::npos || !same_word(trimmed(header.substr(0, equals)), "bytes")) {
    return whole;
  }
  const auto range = trimmed(header.substr(equals + 1));
  const auto dash = range.find('-');
  if (dash == std::string_view::npos || range.find(',') != std::string_view::npos) return whole;
  const auto from = trimmed(range.substr(0, dash));
  const auto to = trimmed(range.substr(dash + 1));
  if (from.empty()) {
    const auto last = parse_saturated(to);
    if (!last) return whole;
    if (*last == 0) return {ByteRange::Kind::kUnsatisfiable};
    const auto count = std::min(*last, size);
    return {ByteRange::Kind::kPart, size - count, count};
  }
  const auto first = parse_saturated(from);
  const auto last = to.empty() ? std::optional(UINT64_MAX) : parse_saturated(to);
  if (!first || !last || *last < *first) return whole;
  if (*first >= size) return {ByteRange::Kind::kUnsatisfiable};
  return {ByteRange::Kind::kPart, *first, std::min(*last, size - 1) - *first + 1};
}

bool none_match_names(std::string_view header, std::string_view etag) {
  while (!header.empty()) {
    const auto comma = header.find(',');  // none in an etag of ours
    auto one = trimmed(header.substr(0, comma));
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == etag || one == "*") return true;
    if (comma == std::string_view::npos) break;
    header.remove_prefix(comma + 1);
  }
  return false;
}

}  // namespace toolway::gateway::wire
