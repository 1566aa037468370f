#include "persistence/postgres/sql_parameter.h"

#include "base/text.h"

namespace toolway::persistence::postgres {

SqlParameter SqlParameter::bytes(std::string_view value) {
  std::string text = "\\x";
  text.reserve(2 + 2 * value.size());
  append_hex(text, {reinterpret_cast<const unsigned char*>(value.data()), value.size()});
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

}  // namespace toolway::persistence::postgres
