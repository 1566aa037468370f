#include "tools/specs/yaml_scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/mistake.h"
#include "base/try.h"

namespace toolway::tools::specs {
namespace {

using Scalar = tl::expected<OrderedJson, std::string>;

bool one_of(std::string_view text, std::initializer_list<std::string_view> choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

std::size_t digits(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

bool is_decimal(std::string_view text) {
  text = without_sign(text);
  return !text.empty() && digits(text) == text.size();
}

/// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool is_float(std::string_view text) {
  text = without_sign(text);
  const auto whole = digits(text);
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const auto fraction = digits(text);
    if (whole == 0 && fraction == 0) return false;
    text.remove_prefix(fraction);
  } else if (whole == 0) {
    return false;
  }
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  return is_decimal(text.substr(1));
}

/// Beyond 64 bits: the nearest double, as in JSON.
Scalar decimal(std::string_view text, std::string_view plain) {
  std::int64_t number = 0;
  const char* end = plain.data() + plain.size();
  if (const auto [at, error] = std::from_chars(plain.data(), end, number);
      error == std::errc() && at == end)
    return number;
  std::uint64_t large = 0;
  if (const auto [at, error] = std::from_chars(plain.data(), end, large);
      error == std::errc() && at == end)
    return large;
  double real = 0;
  if (const auto [at, error] = std::from_chars(plain.data(), end, real);
      error == std::errc() && at == end)
    return real;
  return tl::unexpected(fmt::format("the number {} is out of range", in_quotes(text)));
}

Scalar in_base(std::string_view text, int base) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  if (const auto [at, error] = std::from_chars(text.data() + 2, end, number, base);
      error == std::errc() && at == end)
    return number;
  return tl::unexpected(fmt::format("the number {} is out of range", in_quotes(text)));
}

/// Nothing: the core schema sees no number in it.
std::optional<Scalar> number(std::string_view text) {
  if (text.starts_with("0o") && text.size() > 2 &&
      text.find_first_not_of("01234567", 2) == std::string_view::npos) {
    return in_base(text, 8);
  }
  if (text.starts_with("0x") && text.size() > 2 &&
      text.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos) {
    return in_base(text, 16);
  }
  const auto plain = text.starts_with('+') ? text.substr(1) : text;
  if (is_decimal(text)) return decimal(text, plain);
  if (!is_float(text)) {
    const auto name = without_sign(text);
    if (one_of(name, {".inf", ".Inf", ".INF"}) || one_of(text, {".nan", ".NaN", ".NAN"})) {
      return tl::unexpected(
          fmt::format("{} is not a JSON number; as text, write it in quotes", text));
    }
    return std::nullopt;
  }
  double real = 0;
  const char* end = plain.data() + plain.size();
  const auto [at, error] = std::from_chars(plain.data(), end, real);
  if (error != std::errc() || at != end)
    return tl::unexpected(fmt::format("the number {} is out of range", in_quotes(text)));
  return real;
}

Scalar plain_scalar(const std::string& text) {
  if (one_of(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
  if (one_of(text, {"true", "True", "TRUE"})) return true;
  if (one_of(text, {"false", "False", "FALSE"})) return false;
  if (auto read = number(text)) return *std::move(read);
  return text;
}

}  // namespace

Scalar yaml_scalar(std::string_view tag, const std::string& text) {
  if (tag == "!" || tag == "tag:yaml.org,2002:str") return text;
  if (tag.empty() || tag == "?") return plain_scalar(text);
  auto scalar = plain_scalar(text);
  RETURN_IF_ERROR(scalar);
  const bool fits = (tag == "tag:yaml.org,2002:int" && scalar->is_number_integer()) ||
                    (tag == "tag:yaml.org,2002:float" && scalar->is_number()) ||
                    (tag == "tag:yaml.org,2002:bool" && scalar->is_boolean()) ||
                    (tag == "tag:yaml.org,2002:null" && scalar->is_null());
  if (!fits)
    return tl::unexpected(fmt::format("{} is not what its tag {} says, or the tag is unknown",
                                      in_quotes(text), in_quotes(tag)));
  if (tag.ends_with("float")) return scalar->get<double>();
  return scalar;
}

}  // namespace toolway::tools::specs
