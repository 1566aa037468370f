#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's

namespace toolway {

/// A SHA-256 in progress (OpenSSL EVP). One thread at a time.
class Sha256 {
 public:
  static constexpr std::size_t kBytes = 32;

  Sha256();

  void add(std::string_view bytes);
  /// The first `bytes` of it, at most kBytes, as lower-case hex digits; ends the computation.
  std::string hex(std::size_t bytes = kBytes);

 private:
  struct FreeContext {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, FreeContext> context_;
};

/// Of a text that is there as a whole.
std::string sha256_hex(std::string_view text);

/// The same as its Sha256::kBytes bytes.
std::string sha256_bytes(std::string_view text);
/// `sha256:<hex>` of such a sum.
std::string digest_text(std::string_view sum);
/// HMAC-SHA256 (RFC 2104): Sha256::kBytes bytes.
std::string hmac_sha256(std::string_view key, std::string_view text);

/// Whether two digests are the same; takes as long wherever they differ.
bool same_digest(std::string_view a, std::string_view b);

}  // namespace toolway
