#include "extensions/auth/issuer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/ids.h"
#include "base/mistake.h"
#include "base/try.h"
#include "tools/matching/tool_pattern.h"

namespace toolway::extensions::auth {
namespace {

constexpr std::size_t kMaxWords = 100;

tl::unexpected<Refusal> not_granted(std::string message) {
  return refuse(Refused::kInvalid, std::move(message));
}

/// Null: the token has no such claim.
const Json* claim(const Json& claims, const std::string& name) {
  if (!name.starts_with('/')) {
    const auto found = claims.find(name);
    return found == claims.end() ? nullptr : &*found;
  }
  try {
    const Json::json_pointer pointer(name);
    return claims.contains(pointer) ? &claims.at(pointer) : nullptr;
  } catch (const Json::exception&) {
    return nullptr;
  }
}

tl::expected<std::string, Refusal> text_claim(const Json& claims, const std::string& name) {
  const Json* found = claim(claims, name);
  if (found == nullptr) return not_granted(fmt::format("the token has no claim `{}`", name));
  if (!found->is_string()) return not_granted(fmt::format("the token's `{}` is not text", name));
  return found->get<std::string>();
}

/// Seconds since the epoch, as RFC 7519 §2 has them; nothing: not there.
tl::expected<std::optional<WallTime>, Refusal> time_claim(const Json& claims, const char* name) {
  const auto found = claims.find(name);
  if (found == claims.end()) return std::nullopt;
  constexpr double kMaxSeconds = 253402300799.0;  // the year 9999
  const double seconds = found->is_number() ? found->get<double>() : -1;
  if (!(seconds >= 0 && seconds <= kMaxSeconds))
    return not_granted(fmt::format("the token's `{}` is not a time", name));
  return WallTime(std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6)));
}

void append_words(std::vector<std::string>& to, std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (end != 0) to.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// A list of texts, or words in one; none when the token has no such claim.
tl::expected<std::vector<std::string>, Refusal> words_claim(const Json& claims,
                                                            const std::string& name) {
  std::vector<std::string> words;
  const Json* found = name.empty() ? nullptr : claim(claims, name);
  if (found == nullptr) return words;
  if (found->is_string()) {
    append_words(words, found->get_ref<const std::string&>());
  } else if (found->is_array()) {
    for (const Json& word : *found) {
      if (word.is_string()) words.push_back(word.get<std::string>());
    }
    if (words.size() != found->size())
      return not_granted(fmt::format("the token's `{}` is not a list of texts", name));
  } else {
    return not_granted(fmt::format("the token's `{}` is neither a list nor words", name));
  }
  const bool right =
      words.size() <= kMaxWords && std::all_of(words.begin(), words.end(), valid_opaque);
  if (!right)
    return not_granted(
        fmt::format("the token's `{}` has too many words, or one that is none", name));
  return words;
}

/// Of each two globs the narrower one, if the other has all that it matches. Where two overlap only
/// in part neither counts: that grants less.
std::vector<std::string> within(const std::vector<std::string>& limits,
                                const std::vector<std::string>& claimed) {
  std::vector<std::string> both;
  for (const auto& limit : limits) {
    for (const auto& glob : claimed) {
      // As texts: only a `*` matches a `*`.
      if (tools::matching::matches_glob(limit, glob))
        both.push_back(glob);
      else if (tools::matching::matches_glob(glob, limit))
        both.push_back(limit);
    }
  }
  return both;
}

/// The globs that the user is limited to: the issuer's own, and what is within them of those that
/// the token claims.
tl::expected<std::vector<std::string>, Refusal> limits_of(const Json& claims,
                                                          const IssuerRules& rules) {
  if (rules.namespaces_claim.empty()) return rules.namespaces;
  const auto refused = [&](const char* why) {
    return not_granted(fmt::format("the token's `{}` {}", rules.namespaces_claim, why));
  };
  if (claim(claims, rules.namespaces_claim) == nullptr)
    return not_granted(
        fmt::format("the token has no claim `{}`, which says the namespaces that "
                    "its user is limited to",
                    rules.namespaces_claim));
  ASSIGN_OR_RETURN(auto claimed, words_claim(claims, rules.namespaces_claim));
  if (claimed.empty()) return refused("names no namespace, so the token opens nothing");
  if (rules.namespaces.empty()) return claimed;
  auto both = within(rules.namespaces, claimed);
  if (both.empty()) return refused("names no namespace that its issuer's users may open");
  return both;
}

bool is_for_us(const Json& claims, const IssuerRules& rules) {
  const auto found = claims.find("aud");
  if (found == claims.end()) return false;
  const auto ours = [&](const Json& audience) {
    return audience.is_string() &&
           std::find(rules.audiences.begin(), rules.audiences.end(),
                     audience.get_ref<const std::string&>()) != rules.audiences.end();
  };
  return found->is_array() ? std::any_of(found->begin(), found->end(), ours) : ours(*found);
}

/// When it ends. Errors: it has ended, or has not begun.
tl::expected<WallTime, Refusal> ends_at(const Json& claims, WallTime now) {
  ASSIGN_OR_RETURN(auto expires, time_claim(claims, "exp"));
  if (!expires) return not_granted("the token has no `exp`: one that never expires is not taken");
  const WallTime until = *expires + kClockSkew;
  if (until <= now) return refuse(Refused::kExpired, "the token has expired: get a new one");
  ASSIGN_OR_RETURN(auto begins, time_claim(claims, "nbf"));
  if (begins && *begins > now + kClockSkew)
    return not_granted(
        "the token is not valid yet (`nbf`): check the clocks of its issuer and of the gateway");
  return until;
}

/// The key that may have signed it; null: none is known.
SigningKeyPtr key_of(const Jwt& jwt, const KeySet& keys) {
  SigningKeyPtr one;
  for (const auto& key : keys.keys) {
    if (!key->suits(jwt.algorithm)) continue;
    if (!jwt.kid.empty() && key->kid() != jwt.kid) continue;
    if (one && jwt.kid.empty()) return nullptr;  // which of them?
    if (!one) one = key;
  }
  return one;
}

}  // namespace

bool valid_tenant_id(std::string_view text) {
  constexpr std::size_t kMaxLength = 64;
  return !text.empty() && text.size() <= kMaxLength &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '-';
         });
}

bool valid_namespace_glob(std::string text) {
  std::replace(text.begin(), text.end(), '*', '_');
  return valid_name(text);
}

Checked grant_of(const Json& claims, const IssuerRules& rules, WallTime now) {
  if (!is_for_us(claims, rules)) return not_granted("the token is for another audience (`aud`)");
  ASSIGN_OR_RETURN(auto until, ends_at(claims, now));
  ASSIGN_OR_RETURN(auto user, text_claim(claims, rules.user_claim));
  ASSIGN_OR_RETURN(auto tenant, rules.tenant.empty()
                                    ? text_claim(claims, rules.tenant_claim)
                                    : tl::expected<std::string, Refusal>(rules.tenant));
  ASSIGN_OR_RETURN(auto roles, words_claim(claims, rules.roles_claim));
  ASSIGN_OR_RETURN(auto limits, limits_of(claims, rules));
  Grant grant{.until = until};
  Principal& principal = grant.principal;
  principal.user_id = rules.user_prefix + user;
  if (user.empty() || !valid_opaque(principal.user_id))
    return not_granted(fmt::format("the token's `{}` cannot be a user's id", rules.user_claim));
  if (!valid_tenant_id(tenant))
    return not_granted(fmt::format("the token's `{}` cannot be a tenant's id", rules.tenant_claim));
  principal.tenant_id = std::move(tenant);
  principal.roles = rules.roles;
  principal.roles.insert(principal.roles.end(), roles.begin(), roles.end());
  principal.namespaces = std::move(limits);
  principal.method = std::string(kByJwt);
  return grant;
}

TokenCheck check_token(std::string_view token, std::span<const Issuer> issuers, WallTime now) {
  TokenCheck check;
  const auto refused = [&check](Refusal refusal) {
    check.result = tl::unexpected(std::move(refusal));
    return check;
  };
  auto jwt = read_jwt(token);
  if (!jwt) return refused(std::move(jwt.error()));
  const auto issuer = text_claim(jwt->claims, "iss");
  const auto found = std::find_if(issuers.begin(), issuers.end(), [&](const Issuer& known) {
    return issuer && known.rules.issuer == *issuer;
  });
  if (found == issuers.end())
    return refused(
        {Refused::kInvalid, "the token's issuer (`iss`) is not one that this gateway believes"});
  check.issuer = static_cast<std::size_t>(found - issuers.begin());
  const auto& allowed = found->rules.algorithms;
  if (!allowed.empty() &&
      std::find(allowed.begin(), allowed.end(), jwt->algorithm) == allowed.end())
    return refused({Refused::kInvalid, fmt::format("alg {} is not allowed for this issuer",
                                                   algorithm_name(jwt->algorithm))});
  if (!found->keys) {
    check.unknown_key = true;
    return refused(
        {Refused::kUnavailable, "the keys of the token's issuer are not known yet: try again"});
  }
  check.key = key_of(*jwt, *found->keys);
  if (!check.key) {
    check.unknown_key = true;
    return refused({Refused::kInvalid, "the token's issuer has no such key (`kid`)"});
  }
  if (!check.key->signed_by(token))
    return refused({Refused::kInvalid, "the token's signature is wrong"});
  check.result = grant_of(jwt->claims, found->rules, now);
  return check;
}

}  // namespace toolway::extensions::auth
