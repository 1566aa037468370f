#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extensions/auth/jwt.h"
#include "extensions/auth/signing_key.h"

namespace toolway::extensions::auth {

/// How far an issuer's clock and ours may differ.
inline constexpr std::chrono::seconds kClockSkew{60};

/// An issuer of tokens that a gateway believes, and what its tokens mean, as `--auth-config` says.
struct IssuerRules {
  std::string issuer;                  ///< what `iss` must be, byte for byte
  std::vector<std::string> audiences;  ///< `aud` must name one of them
  std::vector<Algorithm> algorithms;   ///< empty: all that are checked here
  std::string tenant;                  ///< of all its users; empty: `tenant_claim` says
  std::string tenant_claim;            ///< a claim's name, or a JSON Pointer, as those that follow
  std::string user_claim = "sub";
  std::string user_prefix;              ///< put before the user's id
  std::string roles_claim;              ///< a list, or words with blanks between; empty: none
  std::string namespaces_claim;         ///< likewise
  std::vector<std::string> roles;       ///< that each of its users has
  std::vector<std::string> namespaces;  ///< globs that each is limited to
};

/// An issuer with its keys as they are now.
struct Issuer {
  IssuerRules rules;
  std::shared_ptr<const KeySet> keys;  ///< null: not known yet
};

/// What was made of a token.
struct TokenCheck {
  Checked result = refuse(Refused::kInvalid, {});
  SigningKeyPtr key{};       ///< that signed it, when it is granted
  std::size_t issuer = 0;    ///< whose it says it is
  bool unknown_key = false;  ///< refused for want of a key that its issuer may have by now
};

/// Whether `token` is signed by an issuer that is believed, is for us, and is valid at `now`; who
/// it then belongs to. Takes about 0.1 ms, so not on an event loop's thread. Thread-safe. Errors:
/// kInvalid, kExpired; kUnavailable while its issuer's keys are not known.
TokenCheck check_token(std::string_view token, std::span<const Issuer> issuers, WallTime now);

/// What a token whose signature is right grants by its claims. Pure. Errors: as above.
Checked grant_of(const Json& claims, const IssuerRules& rules, WallTime now);

/// `[A-Za-z0-9._-]{1,64}`. Pure.
bool valid_tenant_id(std::string_view text);
/// A namespace's name, with `*` for any characters. Pure.
bool valid_namespace_glob(std::string text);

}  // namespace toolway::extensions::auth
