#include "tools/http/http_message.h"

#include <algorithm>

#include "base/text.h"

namespace toolway::tools::http {

const std::string* find_header(const HttpHeaders& headers, std::string_view name) {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [&](const auto& header) { return same_word(header.name, name); });
  return found == headers.end() ? nullptr : &found->value;
}

bool valid_header_value(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || byte == '\t';
  });
}

}  // namespace toolway::tools::http
