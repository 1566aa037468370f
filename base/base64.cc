#include "base/base64.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cctype>

namespace toolway {

std::string base64(std::string_view bytes) {
  // OpenSSL writes a NUL after the text.
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string packed;
  packed.reserve(text.size());
  std::copy_if(text.begin(), text.end(), std::back_inserter(packed),
               [](unsigned char c) { return std::isspace(c) == 0; });
  if (packed.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = packed.ends_with("==") ? 2 : packed.ends_with('=') ? 1 : 0;
  std::string bytes(packed.size() / 4 * 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(packed.data()),
                                     static_cast<int>(packed.size()));
  if (length < 0) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(length) - padding);
  return bytes;
}

std::string base64url(std::string_view bytes) {
  auto text = base64(bytes);
  text.resize(std::min(text.find('='), text.size()));
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string packed(text);
  for (char& c : packed) {
    if (c == '-') {
      c = '+';
    } else if (c == '_') {
      c = '/';
    } else if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) {
      return std::nullopt;
    }
  }
  if (packed.size() % 4 == 1) return std::nullopt;
  packed.append((4 - packed.size() % 4) % 4, '=');
  auto bytes = from_base64(packed);
  if (!bytes || base64(*bytes) != packed) return std::nullopt;
  return bytes;
}

}  // namespace toolway
