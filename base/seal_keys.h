#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace toolway {

/// Secret keys that only our own processes have, of a file with a line for each: its id, a blank,
/// and 64 hex digits. The first one seals what is new; the others still open what they sealed, so
/// that keys can be replaced. Blank lines and lines that begin with # say nothing. A value.
class SealKeys {
 public:
  static constexpr std::size_t kKeyBytes = 32;

  struct Key {
    std::string id;
    std::string secret;  ///< kKeyBytes bytes
  };

  /// Pure. Errors: kInvalidRequest, naming the line and never a key.
  static Result<SealKeys> parse(std::string_view text);
  /// A line of such a file, with a key that was just made.
  static std::string new_line(std::string_view id);

  const Key& current() const { return keys_.front(); }
  /// Null: no key has this id.
  const Key* find(std::string_view id) const;
  /// The key for one purpose, kKeyBytes bytes: what is sealed for another one opens nothing.
  static std::string derived(const Key& key, std::string_view purpose);

 private:
  std::vector<Key> keys_;
};

}  // namespace toolway
