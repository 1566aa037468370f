#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_error.h"
#include "base/utf8.h"

namespace toolway {
namespace {

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

std::size_t skip_json_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

std::string to_text(const Json& value) { return dump(value); }
std::string to_text(const OrderedJson& value) { return dump(value); }

}  // namespace toolway
