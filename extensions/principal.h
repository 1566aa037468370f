#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace toolway::extensions {

/// How a caller was established.
inline constexpr std::string_view kByKey = "key";
inline constexpr std::string_view kByJwt = "jwt";
inline constexpr std::string_view kByHeader = "header";      ///< X-Toolway-User, which was trusted
inline constexpr std::string_view kAnonymous = "anonymous";  ///< not at all
inline constexpr std::string_view kByOperator = "operator";  ///< the token of a gateway's operators

/// Who makes a request, as authentication established it. A value: it lasts as long as its owner
/// wants.
struct Principal {
  std::string tenant_id = "default";
  std::string user_id{};
  std::string key_id{};              ///< of a key; empty: not by a key
  std::vector<std::string> roles{};  ///< what the policy grants permissions to
  /// Globs that a key or token is limited to, whatever its roles grant; empty: not limited.
  std::vector<std::string> namespaces{};
  std::string method{};  ///< one of those above
};

}  // namespace toolway::extensions
