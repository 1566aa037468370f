#include "extensions/seal.h"

#include <openssl/evp.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/base64.h"
#include "base/ids.h"

namespace toolway::extensions {
namespace {

constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kTagBytes = 16;
/// More than any header or body that may hold one.
constexpr std::size_t kMaxSealedBytes = 1024UL * 1024;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
int length(std::string_view text) { return static_cast<int>(text.size()); }

/// OpenSSL fails here only for lack of memory, or when it is used wrongly.
void must(int done) {
  if (done != 1) std::abort();
}

Cipher make_cipher() {
  Cipher cipher(EVP_CIPHER_CTX_new());
  if (!cipher) std::abort();
  return cipher;
}

std::string encrypted(const std::string& key, std::string_view nonce, const std::string& clear) {
  const auto cipher = make_cipher();
  std::string out(clear.size() + kTagBytes, '\0');
  int written = 0;
  must(EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes(key), bytes(nonce)));
  must(EVP_EncryptUpdate(cipher.get(), bytes(out), &written, bytes(clear), length(clear)));
  must(EVP_EncryptFinal_ex(cipher.get(), bytes(out) + written, &written));
  must(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(kTagBytes),
                           bytes(out) + clear.size()));
  return out;
}

std::optional<std::string> decrypted(const std::string& key, std::string_view packed) {
  const auto cipher = make_cipher();
  const auto nonce = packed.substr(0, kNonceBytes);
  packed.remove_prefix(kNonceBytes);
  std::string tag(packed.substr(packed.size() - kTagBytes));
  packed.remove_suffix(kTagBytes);
  std::string clear(packed.size(), '\0');
  int written = 0;
  must(EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes(key), bytes(nonce)));
  must(EVP_DecryptUpdate(cipher.get(), bytes(clear), &written, bytes(packed), length(packed)));
  must(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(kTagBytes),
                           bytes(tag)));
  if (EVP_DecryptFinal_ex(cipher.get(), bytes(clear) + written, &written) != 1) return std::nullopt;
  return clear;
}

std::string key_for(const SealKeys::Key& key, std::string_view purpose) {
  return SealKeys::derived(key, "toolway seal 1: " + std::string(purpose));
}

tl::unexpected<Error> not_ours() {
  return fail(ErrorCode::kUnauthenticated, "it was not made here, or was changed since");
}

}  // namespace

std::string seal(const SealKeys& keys, std::string_view purpose, std::string_view content,
                 WallTime expires) {
  const auto& key = keys.current();
  std::string nonce(kNonceBytes, '\0');
  random_bytes(nonce.data(), nonce.size());
  auto clear = std::to_string(to_unix_us(expires)) + ' ';
  clear += content;
  return key.id + '.' + base64url(nonce + encrypted(key_for(key, purpose), nonce, clear));
}

Result<std::string> open_sealed(const SealKeys& keys, std::string_view purpose,
                                std::string_view sealed, WallTime now) {
  const auto dot = sealed.find('.');
  if (dot == std::string_view::npos || sealed.size() > kMaxSealedBytes) return not_ours();
  const auto* key = keys.find(sealed.substr(0, dot));
  const auto packed = from_base64url(sealed.substr(dot + 1));
  if (key == nullptr || !packed || packed->size() < kNonceBytes + kTagBytes) return not_ours();
  auto clear = decrypted(key_for(*key, purpose), *packed);
  if (!clear) return not_ours();
  std::int64_t expires_us = 0;
  const auto* const end = clear->data() + clear->size();
  const auto [blank, error] = std::from_chars(clear->data(), end, expires_us);
  if (error != std::errc() || blank == end || *blank != ' ') return not_ours();
  if (now >= from_unix_us(expires_us)) return fail(ErrorCode::kUnauthenticated, "it has expired");
  clear->erase(0, static_cast<std::size_t>(blank + 1 - clear->data()));
  return std::move(*clear);
}

}  // namespace toolway::extensions
