#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace toolway::extensions::reader {

/// The key of the policy in force, in bucket `policies`.
inline constexpr std::string_view kPolicyKey = "extensions";
/// How many versions before it the bucket keeps.
inline constexpr std::uint64_t kKeptVersions = 20;

/// A version of extensions.yaml as the bucket keeps it.
struct StoredPolicy {
  std::uint64_t number = 0;  ///< 1, 2, 3 …
  std::string by;            ///< an operator's name
  std::string at;            ///< RFC 3339, UTC
  std::string text;
};

/// JSON.
std::string encode(const StoredPolicy& policy);
/// Errors: kInvalidSpec.
Result<StoredPolicy> decode_policy(std::string_view value);

/// The key under which version `number` is kept once another one is in force.
std::string version_key(std::uint64_t number);

}  // namespace toolway::extensions::reader
