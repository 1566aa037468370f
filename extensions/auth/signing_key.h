#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "extensions/auth/jwt.h"

namespace toolway::extensions::auth {

/// A public key that an issuer signs with (RFC 7517), over libcjose. Immutable; thread-safe.
class SigningKey {
 public:
  virtual ~SigningKey() = default;

  /// RSA of 2,048 bits and more, EC on P-256, P-384 and P-521. What a private key has besides is
  /// not read. Errors: kInvalidRequest, in words.
  static Result<std::shared_ptr<const SigningKey>> create(const Json& jwk);

  /// Empty: it has none.
  virtual const std::string& kid() const = 0;
  /// Whether a signature of this algorithm can be its own.
  virtual bool suits(Algorithm algorithm) const = 0;
  /// Checks the signature of a token that `read_jwt` has read. About 0.1 ms.
  virtual bool signed_by(std::string_view token) const = 0;
  /// Two keys of the same identity are the same key.
  virtual const std::string& identity() const = 0;
};
using SigningKeyPtr = std::shared_ptr<const SigningKey>;

/// The keys of one issuer at one time. Immutable.
struct KeySet {
  std::vector<SigningKeyPtr> keys{};
  std::vector<std::string> left_out{};  ///< why others cannot be used, each in words

  bool holds(std::string_view identity) const;
};

/// A JWK Set (RFC 7517 §5). Keys that are for something else, or that cannot be used, are left out.
/// Errors: kInvalidRequest when it is not a JWK Set, or none of its keys can be used.
Result<KeySet> read_key_set(std::string_view text);

}  // namespace toolway::extensions::auth
