#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_error.h"
#include "base/utf8.h"

namespace toolway {
namespace {

/// Deepest nesting of brackets outside strings; not a parser, so it cannot overflow itself.
std::size_t nesting(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

template <typename J>
std::string dump(const J& value) {
  return value.dump(-1, ' ', false, J::error_handler_t::replace);
}

}  // namespace

std::string json_error_text(const nlohmann::detail::exception& error) {
  std::string_view what = error.what();
  if (const auto colon = what.find("] "); colon != std::string_view::npos) {
    what.remove_prefix(colon + 2);
  }
  if (valid_utf8(what)) return std::string(what);
  return Json::parse(Json(what).dump(-1, ' ', false, Json::error_handler_t::replace))
      .get<std::string>();
}

std::string nul_error_text(std::size_t offset) {
  return fmt::format("a NUL byte at offset {}", offset);
}

Result<Json> parse_json(std::string_view text, std::size_t max_depth) {
  if (nesting(text) > max_depth) {
    return fail(ErrorCode::kMalformedJson,
                fmt::format("JSON is nested more than {} levels deep", max_depth));
  }
  // The reader takes a NUL for the end, and ignores what follows.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    return fail(ErrorCode::kMalformedJson, nul_error_text(nul));
  }
  try {
    return Json::parse(text);
  } catch (const nlohmann::detail::exception& error) {  // syntax, or a number out of range
    return fail(ErrorCode::kMalformedJson, json_error_text(error));
  }
}

std::size_t skip_json_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

std::string to_text(const Json& value) { return dump(value); }
std::string to_text(const OrderedJson& value) { return dump(value); }

}  // namespace toolway
