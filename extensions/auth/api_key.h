#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace toolway::extensions::auth {

/// `tw_<id>_<secret>`: 12 hex digits that name the key, and 40 that open it.
struct ApiKey {
  std::string id;
  std::string text;  ///< the whole key, a secret
};

inline constexpr std::string_view kApiKeyPrefix = "tw_";

/// A new one: 48 random bits of name, 160 of secret, from OpenSSL's generator. Aborts when that has
/// none to give.
ApiKey make_api_key();

/// The id of a text that has the form of a key; nothing: it has not. Pure.
std::optional<std::string_view> api_key_id(std::string_view text);
/// Whether this can be a key's id. Pure.
bool valid_api_key_id(std::string_view id);

/// SHA-256 of the whole key, 32 bytes: what is stored of it. Pure.
std::string api_key_digest(std::string_view key);

}  // namespace toolway::extensions::auth
