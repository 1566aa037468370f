#include "base/sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <new>

#include "base/text.h"

namespace toolway {

void Sha256::FreeContext::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  if (context_ == nullptr || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
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
  Sha256 hash;
  hash.add(text);
  return hash.hex();
}

bool same_digest(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace toolway
