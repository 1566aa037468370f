#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "extensions/auth/issuer.h"

namespace toolway::extensions::auth {

/// What tokens grant whose signatures were right, by the SHA-256 of each: a token is checked once.
/// The one that was used longest ago makes room. Pure bookkeeping, on one thread.
class TokenCache {
 public:
  /// About 600 bytes each.
  explicit TokenCache(std::size_t most) : most_(most) {}

  struct Known {
    Grant grant;
    std::size_t issuer = 0;
    std::string key;  ///< identity of the one that signed it
  };
  /// Null: not known, or expired by now. Valid until the next call.
  const Known* find(std::string_view digest, WallTime now);
  void remember(std::string_view digest, Known known);
  /// Keeps only those that a key of `issuers` signed, as these now are.
  void keep_signed(std::span<const Issuer> issuers);
  std::size_t size() const { return by_use_.size(); }

 private:
  struct Entry {
    std::string digest;
    Known known;
  };
  const std::size_t most_;
  std::list<Entry> by_use_;  // newest first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_digest_;
};

}  // namespace toolway::extensions::auth
