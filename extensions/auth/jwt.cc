#include "extensions/auth/jwt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/base64.h"
#include "base/ids.h"
#include "base/mistake.h"
#include "base/strict_json.h"
#include "base/text.h"
#include "base/try.h"

namespace toolway::extensions::auth {
namespace {

constexpr std::array kAlgorithms{
    std::pair{Algorithm::kRs256, std::string_view("RS256")},
    std::pair{Algorithm::kRs384, std::string_view("RS384")},
    std::pair{Algorithm::kRs512, std::string_view("RS512")},
    std::pair{Algorithm::kPs256, std::string_view("PS256")},
    std::pair{Algorithm::kPs384, std::string_view("PS384")},
    std::pair{Algorithm::kPs512, std::string_view("PS512")},
    std::pair{Algorithm::kEs256, std::string_view("ES256")},
    std::pair{Algorithm::kEs384, std::string_view("ES384")},
    std::pair{Algorithm::kEs512, std::string_view("ES512")},
};
constexpr std::size_t kMaxDepth = 16;

tl::unexpected<Refusal> not_read(std::string message) {
  return refuse(Refused::kInvalid, std::move(message));
}

/// Why a token of this algorithm is refused.
std::string unknown_algorithm(const std::string& name) {
  constexpr std::string_view kChecked = "RS, PS and ES with 256, 384 or 512 are checked here";
  if (same_word(name, "none")) return "a token that is not signed (alg none) proves nothing";
  if (name.starts_with("HS"))
    return fmt::format("alg {} needs a secret that issuer and gateway share: {}", name, kChecked);
  if (name == "EdDSA" || name == "Ed25519")
    return fmt::format("alg {} cannot be checked by this build: {}", name, kChecked);
  return fmt::format("alg {} is not known here: {}", in_quotes(name), kChecked);
}

tl::expected<Json, Refusal> read_part(std::string_view part, std::string_view what) {
  const auto bytes = from_base64url(part);
  if (!bytes) return not_read(fmt::format("the token's {} is not base64url", what));
  auto json = parse_strict_json(*bytes, kMaxDepth);
  if (!json)
    return not_read(fmt::format("the token's {} cannot be read: {}", what, json.error().message));
  if (!json->is_object()) return not_read(fmt::format("the token's {} is not an object", what));
  return std::move(*json);
}

/// The text of a member; empty: not there.
tl::expected<std::string, Refusal> text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return std::string();
  if (!found->is_string()) return not_read(fmt::format("the token's `{}` is not text", name));
  return found->get<std::string>();
}

tl::expected<void, Refusal> read_header(const Json& header, Jwt& to) {
  for (const char* name : {"crit", "b64"}) {
    if (header.contains(name))
      return not_read(fmt::format("the token's header has `{}`, which is not known here", name));
  }
  if (header.contains("enc") || header.contains("zip"))
    return not_read("the token is encrypted or packed: send a signed one");
  ASSIGN_OR_RETURN(auto type, text_of(header, "typ"));
  if (!type.empty() && !same_word(type, "JWT") && !same_word(type, "at+jwt") &&
      !same_word(type, "application/at+jwt"))
    return not_read(fmt::format("a token of type {} is not taken here", in_quotes(type)));
  ASSIGN_OR_RETURN(auto content, text_of(header, "cty"));
  if (!content.empty()) return not_read("the token holds another one: send that");
  ASSIGN_OR_RETURN(auto algorithm, text_of(header, "alg"));
  const auto known = algorithm_named(algorithm);
  if (!known) return not_read(unknown_algorithm(algorithm));
  to.algorithm = *known;
  ASSIGN_OR_RETURN(auto kid, text_of(header, "kid"));
  if (!kid.empty() && !valid_opaque(kid))
    return not_read("the token's `kid` is not the name of a key");
  to.kid = std::move(kid);
  return {};
}

}  // namespace

std::string_view algorithm_name(Algorithm algorithm) {
  return kAlgorithms[static_cast<std::size_t>(algorithm)].second;
}

std::optional<Algorithm> algorithm_named(std::string_view name) {
  for (const auto& [algorithm, known] : kAlgorithms) {
    if (known == name) return algorithm;
  }
  return std::nullopt;
}

tl::expected<Jwt, Refusal> read_jwt(std::string_view token) {
  if (token.size() > kMaxJwtBytes)
    return not_read(fmt::format("a token may have {} bytes at most", kMaxJwtBytes));
  const auto dots = std::count(token.begin(), token.end(), '.');
  if (dots == 4) return not_read("the token is encrypted (JWE): send a signed one");
  if (dots != 2)
    return not_read("the credential is neither an API key nor a JSON Web Token in compact form");
  const auto first = token.find('.');
  const auto second = token.rfind('.');
  ASSIGN_OR_RETURN(auto header, read_part(token.substr(0, first), "header"));
  Jwt jwt;
  RETURN_IF_ERROR(read_header(header, jwt));
  ASSIGN_OR_RETURN(auto claims, read_part(token.substr(first + 1, second - first - 1), "payload"));
  const auto signature = from_base64url(token.substr(second + 1));
  if (!signature || signature->empty()) return not_read("the token has no signature");
  jwt.claims = std::move(claims);
  return jwt;
}

}  // namespace toolway::extensions::auth
