#include "base/utf8.h"

#include <cstddef>

namespace toolway {

bool valid_utf8(std::string_view text) {
  const auto* s = reinterpret_cast<const unsigned char*>(text.data());
  const std::size_t n = text.size();
  std::size_t i = 0;
  while (i < n) {
    const unsigned char lead = s[i];
    if (lead < 0x80) {
      ++i;
      continue;
    }
    std::size_t more = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) {
      more = 1;
    } else if (lead >= 0xe0 && lead <= 0xef) {
      more = 2;
      if (lead == 0xe0) low = 0xa0;
      if (lead == 0xed) high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      more = 3;
      if (lead == 0xf0) low = 0x90;
      if (lead == 0xf4) high = 0x8f;
    } else {
      return false;
    }
    if (n - i <= more || s[i + 1] < low || s[i + 1] > high) return false;
    for (std::size_t k = 2; k <= more; ++k) {
      if (s[i + k] < 0x80 || s[i + k] > 0xbf) return false;
    }
    i += more + 1;
  }
  return true;
}

std::string_view utf8_prefix(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && continues_character(text[most])) --most;
  return text.substr(0, most);
}

std::string_view without_cut_character(std::string_view text) {
  while (!text.empty() && continues_character(text.back())) text.remove_suffix(1);
  const bool begins_character =
      !text.empty() && (static_cast<unsigned char>(text.back()) & 0x80) != 0;
  if (begins_character) text.remove_suffix(1);
  return text;
}

}  // namespace toolway
