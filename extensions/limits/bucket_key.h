#pragma once

#include <string>
#include <string_view>

#include "extensions/limit.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::extensions::limits {

/// The key under which a limit's tokens, calls or permits are counted for these `parts`: 32 hex
/// digits of a SHA-256.
class BucketKey {
 public:
  explicit BucketKey(const Limit& limit) { add(limit.name); }
  /// What a `Per` stands for: a tenant, a user …
  void add(std::string_view part);
  std::string text() const;

 private:
  std::string parts_;
};

/// The key that a limit counts a call under. A caller without an API key is counted as its user.
std::string bucket_key(const Limit& limit, const v1::CallRequest& call);

}  // namespace toolway::extensions::limits
