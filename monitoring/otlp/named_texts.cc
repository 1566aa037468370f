#include "monitoring/otlp/named_texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace toolway::monitoring::otlp {
namespace {

/// A token of HTTP (RFC 9110 §5.6.2), near enough: what can be a header's name.
bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c > ' ' && c <= '~' &&
           std::string_view("()<>@,;:\\\"/[]?={}").find(c) == std::string_view::npos;
  });
}

/// Otherwise one header could become two.
bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
}

}  // namespace

Result<NamedTexts> parse_named_texts(std::string_view text) {
  NamedTexts found;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto comma = text.find(',');
    const auto member = trimmed(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    if (member.empty()) continue;
    const auto equals = member.find('=');
    const auto name = trimmed(member.substr(0, equals));
    if (equals == std::string_view::npos || !is_name(name)) {
      return fail(ErrorCode::kInvalidRequest, fmt::format("member {} is not name=value", number));
    }
    auto value = percent_decoded(trimmed(member.substr(equals + 1)));
    if (!value || has_control(*value)) {
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("the value of member {} is not percent-encoded text", number));
    }
    found.emplace_back(name, std::move(*value));
  }
  return found;
}

}  // namespace toolway::monitoring::otlp
