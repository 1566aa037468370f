#pragma once

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "base/json.h"

namespace toolway::extensions::auth {

inline std::string to_base64url(std::string_view bytes) {
  std::string text = base64(bytes);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

/// Signs tokens as an issuer does, with OpenSSL alone: it shares nothing with what checks them.
class TokenSigner {
 public:
  static TokenSigner ec(const char* curve, std::string kid) {
    return {EVP_EC_gen(curve), std::move(kid)};
  }
  static TokenSigner rsa(std::size_t bits, std::string kid) {
    return {EVP_RSA_gen(bits), std::move(kid)};
  }

  Json jwk() const {
    if (EVP_PKEY_is_a(key_.get(), "RSA") != 0)
      return {{"kty", "RSA"}, {"kid", kid_}, {"n", number("n", 0)}, {"e", number("e", 0)}};
    const int bits = EVP_PKEY_get_bits(key_.get());
    const int bytes = (bits + 7) / 8;
    return {{"kty", "EC"},
            {"kid", kid_},
            {"crv", "P-" + std::to_string(bits)},
            {"x", number("qx", bytes)},
            {"y", number("qy", bytes)}};
  }

  /// Of these exact texts.
  std::string sign_texts(std::string_view header, std::string_view claims,
                         std::string_view alg) const {
    std::string text = to_base64url(header) + "." + to_base64url(claims);
    return text + "." + to_base64url(signature(text, alg));
  }
  std::string sign(const Json& claims, std::string_view alg) const {
    return sign_texts(to_text(Json{{"alg", alg}, {"kid", kid_}, {"typ", "JWT"}}), to_text(claims),
                      alg);
  }

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  };
  TokenSigner(EVP_PKEY* key, std::string kid) : key_(key), kid_(std::move(kid)) {}

  std::string number(const char* name, int bytes) const {
    BIGNUM* value = nullptr;
    EVP_PKEY_get_bn_param(key_.get(), name, &value);
    std::string text(static_cast<std::size_t>(bytes == 0 ? BN_num_bytes(value) : bytes), '\0');
    BN_bn2binpad(value, reinterpret_cast<unsigned char*>(text.data()),
                 static_cast<int>(text.size()));
    BN_free(value);
    return to_base64url(text);
  }

  std::string signature(std::string_view text, std::string_view alg) const {
    const EVP_MD* digest = alg.ends_with("256")   ? EVP_sha256()
                           : alg.ends_with("384") ? EVP_sha384()
                                                  : EVP_sha512();
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                          &EVP_MD_CTX_free);
    EVP_PKEY_CTX* options = nullptr;
    EVP_DigestSignInit(context.get(), &options, digest, nullptr, key_.get());
    if (alg.starts_with("PS")) {
      EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING);
      EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST);
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = 0;
    EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size());
    std::string made(size, '\0');
    EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(made.data()), &size, bytes,
                   text.size());
    made.resize(size);
    return EVP_PKEY_is_a(key_.get(), "EC") != 0 ? joined(made) : made;
  }

  /// R and S, as RFC 7518 §3.4 has them.
  std::string joined(const std::string& der) const {
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    ECDSA_SIG* pair = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
    const int half = (EVP_PKEY_get_bits(key_.get()) + 7) / 8;
    std::string made(static_cast<std::size_t>(2 * half), '\0');
    auto* to = reinterpret_cast<unsigned char*>(made.data());
    BN_bn2binpad(ECDSA_SIG_get0_r(pair), to, half);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair), to + half, half);
    ECDSA_SIG_free(pair);
    return made;
  }

  std::unique_ptr<EVP_PKEY, Free> key_;
  std::string kid_;
};

/// Claims with another value, or without one.
inline Json with_claim(Json claims, const char* name, const Json& value) {
  claims[name] = value;
  return claims;
}
inline Json without_claim(Json claims, const char* name) {
  claims.erase(name);
  return claims;
}

}  // namespace toolway::extensions::auth
