#include "extensions/auth/api_key.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.h"

namespace toolway::extensions::auth {
namespace {

constexpr std::size_t kIdBytes = 6;
constexpr std::size_t kSecretBytes = 20;
constexpr std::size_t kIdDigits = 2 * kIdBytes;
constexpr std::size_t kKeyLength = kApiKeyPrefix.size() + kIdDigits + 1 + 2 * kSecretBytes;

bool is_lower_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

ApiKey make_api_key() {
  std::array<unsigned char, kIdBytes + kSecretBytes> random{};
  // A key that can be guessed is worse than none.
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) std::abort();
  ApiKey key;
  append_hex(key.id, std::span(random).first<kIdBytes>());
  key.text.append(kApiKeyPrefix).append(key.id).append(1, '_');
  append_hex(key.text, std::span(random).last<kSecretBytes>());
  return key;
}

bool valid_api_key_id(std::string_view id) { return id.size() == kIdDigits && is_lower_hex(id); }

std::optional<std::string_view> api_key_id(std::string_view text) {
  if (text.size() != kKeyLength || !text.starts_with(kApiKeyPrefix)) return std::nullopt;
  text.remove_prefix(kApiKeyPrefix.size());
  const auto id = text.substr(0, kIdDigits);
  const bool right =
      is_lower_hex(id) && text[kIdDigits] == '_' && is_lower_hex(text.substr(kIdDigits + 1));
  return right ? std::optional(id) : std::nullopt;
}

std::string api_key_digest(std::string_view key) {
  std::string digest(32, '\0');
  if (EVP_Digest(key.data(), key.size(), reinterpret_cast<unsigned char*>(digest.data()), nullptr,
                 EVP_sha256(), nullptr) != 1)
    std::abort();  // no memory
  return digest;
}

}  // namespace toolway::extensions::auth
