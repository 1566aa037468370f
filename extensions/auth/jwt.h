#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "extensions/auth/refusal.h"

namespace toolway::extensions::auth {

/// How a token is signed (RFC 7518 §3.1): what this build can check.
enum class Algorithm { kRs256, kRs384, kRs512, kPs256, kPs384, kPs512, kEs256, kEs384, kEs512 };

/// `RS256` …
std::string_view algorithm_name(Algorithm algorithm);
std::optional<Algorithm> algorithm_named(std::string_view name);

/// A longer one is not read.
inline constexpr std::size_t kMaxJwtBytes = 8192;

/// What a JSON Web Token says; nothing of it is proven.
struct Jwt {
  Algorithm algorithm = Algorithm::kRs256;
  std::string kid;  ///< empty: it names no key
  Json claims;      ///< an object
};

/// Reads a token in compact form (RFC 7519, RFC 7515 §7.1), as strictly as can be: a member that is
/// there twice, base64url with anything left over, `crit`, a nested token or an encrypted one are
/// refused, and so are algorithms that this build does not check, by name. Pure. Errors: kInvalid.
tl::expected<Jwt, Refusal> read_jwt(std::string_view token);

}  // namespace toolway::extensions::auth
