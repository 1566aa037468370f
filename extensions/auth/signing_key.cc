// The one file that knows libcjose.
#include "extensions/auth/signing_key.h"

#include <cjose/cjose.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/sha256.h"
#include "base/strict_json.h"
#include "base/try.h"

namespace toolway::extensions::auth {
namespace {

constexpr std::size_t kMaxKeys = 100;
constexpr std::size_t kMinRsaBits = 2048;
constexpr std::size_t kMaxRsaBits = 8192;  // checking takes longer with each bit

struct ReleaseKey {
  void operator()(cjose_jwk_t* key) const { cjose_jwk_release(key); }
};
struct ReleaseToken {
  void operator()(cjose_jws_t* token) const { cjose_jws_release(token); }
};

Result<std::string> jwk_number(const Json& jwk, const char* name) {
  const auto found = jwk.find(name);
  if (found == jwk.end() || !found->is_string() ||
      !from_base64url(found->get_ref<const std::string&>()))
    return fail(ErrorCode::kInvalidRequest, fmt::format("`{}` is not base64url", name));
  return found->get<std::string>();
}

std::string jwk_text(const Json& jwk, const char* name) {
  const auto found = jwk.find(name);
  return found != jwk.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// What is public of a key, and nothing else of it. Errors: of a type that is not known here.
Result<OrderedJson> public_part(const Json& jwk) {
  const std::string type = jwk_text(jwk, "kty");
  OrderedJson made = OrderedJson::object();
  made["kty"] = type;
  if (type == "RSA") {
    for (const char* name : {"n", "e"}) {
      ASSIGN_OR_RETURN(made[name], jwk_number(jwk, name));
    }
    return made;
  }
  if (type == "EC") {
    made["crv"] = jwk_text(jwk, "crv");
    for (const char* name : {"x", "y"}) {
      ASSIGN_OR_RETURN(made[name], jwk_number(jwk, name));
    }
    return made;
  }
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("a key of type {} cannot be used here: only RSA and EC",
                          type.empty() ? "(none)" : type));
}

enum class Family { kRsa, kP256, kP384, kP521 };

Result<Family> family_of(const OrderedJson& key, std::size_t bits) {
  if (key["kty"] == "RSA") {
    if (bits >= kMinRsaBits && bits <= kMaxRsaBits) return Family::kRsa;
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("an RSA key of {} bits cannot be used here: {} to {} bits can", bits,
                            kMinRsaBits, kMaxRsaBits));
  }
  const auto curve = key["crv"].get<std::string>();
  if (curve == "P-256") return Family::kP256;
  if (curve == "P-384") return Family::kP384;
  if (curve == "P-521") return Family::kP521;
  return fail(ErrorCode::kInvalidRequest, fmt::format("the curve {} is not known here", curve));
}

Family family_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kEs256: return Family::kP256;
    case Algorithm::kEs384: return Family::kP384;
    case Algorithm::kEs512: return Family::kP521;
    case Algorithm::kRs256:
    case Algorithm::kRs384:
    case Algorithm::kRs512:
    case Algorithm::kPs256:
    case Algorithm::kPs384:
    case Algorithm::kPs512: break;
  }
  return Family::kRsa;
}

/// RFC 7518 §3.3 to §3.5.
std::size_t signature_bytes(Family family, std::size_t rsa_bits) {
  switch (family) {
    case Family::kP256: return 64;
    case Family::kP384: return 96;
    case Family::kP521: return 132;
    case Family::kRsa: break;
  }
  return (rsa_bits + 7) / 8;
}

std::size_t base64url_digits(std::size_t bytes) { return (bytes * 8 + 5) / 6; }

class CjoseKey final : public SigningKey {
 public:
  CjoseKey(std::unique_ptr<cjose_jwk_t, ReleaseKey> key, Family family, std::size_t bits,
           std::string kid, std::optional<Algorithm> only, std::string identity)
      : key_(std::move(key)),
        family_(family),
        signature_digits_(base64url_digits(signature_bytes(family, bits))),
        kid_(std::move(kid)),
        only_(only),
        identity_(std::move(identity)) {}

  const std::string& kid() const override { return kid_; }
  const std::string& identity() const override { return identity_; }
  bool suits(Algorithm algorithm) const override {
    return family_of(algorithm) == family_ && (!only_ || *only_ == algorithm);
  }
  bool signed_by(std::string_view token) const override {
    // libcjose before 0.6.2.4 takes signatures that are longer than they may be, and reads past the
    // end of shorter ones.
    if (token.size() - token.rfind('.') - 1 != signature_digits_) return false;
    cjose_err error{};
    const std::unique_ptr<cjose_jws_t, ReleaseToken> read(
        cjose_jws_import(token.data(), token.size(), &error));
    return read && cjose_jws_verify(read.get(), key_.get(), &error);
  }

 private:
  const std::unique_ptr<cjose_jwk_t, ReleaseKey> key_;
  const Family family_;
  const std::size_t signature_digits_;
  const std::string kid_;
  const std::optional<Algorithm> only_;
  const std::string identity_;
};

/// Whether a key is there to check signatures with.
bool is_for_signatures(const Json& jwk) {
  const std::string use = jwk_text(jwk, "use");
  if (!use.empty() && use != "sig") return false;
  const auto operations = jwk.find("key_ops");
  return operations == jwk.end() || !operations->is_array() ||
         std::find(operations->begin(), operations->end(), "verify") != operations->end();
}

}  // namespace

Result<SigningKeyPtr> SigningKey::create(const Json& jwk) {
  if (!jwk.is_object()) return fail(ErrorCode::kInvalidRequest, "a key must be an object");
  ASSIGN_OR_RETURN(const auto made, public_part(jwk));
  const std::string name = jwk_text(jwk, "alg");
  const auto only = algorithm_named(name);
  if (!name.empty() && !only)
    return fail(ErrorCode::kInvalidRequest, fmt::format("its alg {} is not known here", name));
  const std::string text = to_text(made);
  cjose_err error{};
  std::unique_ptr<cjose_jwk_t, ReleaseKey> key(cjose_jwk_import(text.data(), text.size(), &error));
  if (!key)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("it is not a key: {}", error.message != nullptr ? error.message : ""));
  const std::size_t bits = cjose_jwk_get_keysize(key.get(), &error);
  ASSIGN_OR_RETURN(const auto family, family_of(made, bits));
  std::string kid = jwk_text(jwk, "kid");
  std::string identity = sha256_hex(fmt::format("{}\n{}\n{}", text, kid, name));
  return std::make_shared<const CjoseKey>(std::move(key), family, bits, std::move(kid), only,
                                          std::move(identity));
}

bool KeySet::holds(std::string_view identity) const {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const SigningKeyPtr& key) { return key->identity() == identity; });
}

Result<KeySet> read_key_set(std::string_view text) {
  ASSIGN_OR_RETURN(const auto document, parse_strict_json(text));
  const auto keys = document.is_object() ? document.find("keys") : document.end();
  if (keys == document.end() || !keys->is_array())
    return fail(ErrorCode::kInvalidRequest, "a JWK Set is an object with a list `keys`");
  if (keys->size() > kMaxKeys)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("has {} keys; the limit is {}", keys->size(), kMaxKeys));
  KeySet set;
  for (const Json& jwk : *keys) {
    if (jwk.is_object() && !is_for_signatures(jwk)) continue;
    auto key = SigningKey::create(jwk);
    if (key) {
      set.keys.push_back(std::move(*key));
    } else {
      set.left_out.push_back(fmt::format("key {}: {}", jwk.is_object() ? jwk_text(jwk, "kid") : "",
                                         key.error().message));
    }
  }
  if (!set.keys.empty()) return set;
  return fail(ErrorCode::kInvalidRequest,
              set.left_out.empty() ? "has no key for signatures" : set.left_out.front());
}

}  // namespace toolway::extensions::auth
