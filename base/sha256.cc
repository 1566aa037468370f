#include "base/sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <new>

#include "base/text.h"

namespace toolway {

namespace {

/// Looked up once: since OpenSSL 3, EVP_sha256() is looked up again at each use, which takes as
/// long as 200 bytes.
const EVP_MD* sha256_algorithm() {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return found != nullptr ? found : EVP_sha256();
}

using Sum = std::array<unsigned char, Sha256::kBytes>;

Sum sum_of(std::string_view text) {
  thread_local const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                                EVP_MD_CTX_free);
  if (context == nullptr || EVP_DigestInit_ex(context.get(), sha256_algorithm(), nullptr) != 1)
    throw std::bad_alloc();  // all that can fail here
  EVP_DigestUpdate(context.get(), text.data(), text.size());
  Sum sum{};
  EVP_DigestFinal_ex(context.get(), sum.data(), nullptr);
  return sum;
}

}  // namespace

void Sha256::FreeContext::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  if (context_ == nullptr || EVP_DigestInit_ex(context_.get(), sha256_algorithm(), nullptr) != 1) {
    throw std::bad_alloc();  // all that can fail here
  }
}

void Sha256::add(std::string_view bytes) {
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::string Sha256::hex(std::size_t bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  EVP_DigestFinal_ex(context_.get(), sum.data(), nullptr);
  std::string text;
  append_hex(text, {sum.data(), bytes});
  return text;
}

std::string sha256_hex(std::string_view text) {
  const Sum sum = sum_of(text);
  std::string hex;
  append_hex(hex, sum);
  return hex;
}

std::string sha256_bytes(std::string_view text) {
  const Sum sum = sum_of(text);
  return {reinterpret_cast<const char*>(sum.data()), sum.size()};
}

std::string digest_text(std::string_view sum) {
  std::string text = "sha256:";
  append_hex(text, {reinterpret_cast<const unsigned char*>(sum.data()), sum.size()});
  return text;
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::string sum(Sha256::kBytes, '\0');
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(),
           reinterpret_cast<unsigned char*>(sum.data()), nullptr) == nullptr)
    throw std::bad_alloc();  // likewise
  return sum;
}

bool same_digest(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace toolway
