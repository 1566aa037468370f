#include "persistence/postgres/sql_parameter.h"

namespace toolway::persistence {

SqlParameter SqlParameter::bytes(std::string_view value) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "\\x";
  text.reserve(2 + 2 * value.size());
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    text.push_back(kHex[byte >> 4]);
    text.push_back(kHex[byte & 15]);
  }
  return text;
}

void SqlParameter::append_element(std::string& array, std::string_view element) {
  if (!array.empty()) array += ',';
  array += '"';
  for (const char c : element) {
    if (c == '"' || c == '\\') array += '\\';
    array += c;
  }
  array += '"';
}

}  // namespace toolway::persistence
