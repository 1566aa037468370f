#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/chaos/control.h"
#include "tests/chaos/randomness.h"

namespace toolway::chaos {

/// What `toolway keys create -o json` printed, made now; nothing: it has no key.
std::optional<KeyLife> read_made_key(const std::string& output);

/// The API keys that an operator made, for those who use them. Thread-safe.
class KeyBook {
 public:
  void made(KeyLife key);
  /// One that is not being revoked yet; nothing: there is none.
  std::optional<KeyLife> some_good(Randomness& random) const;
  void revoking(const std::string& id, std::int64_t at_us);
  void revoked(const std::string& id, std::int64_t at_us);
  /// One of a user: mostly one of the last few, whether it is good or was revoked.
  std::optional<KeyLife> some_of(const std::string& user, Randomness& random) const;
  std::vector<KeyLife> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<KeyLife> keys_;
};

}  // namespace toolway::chaos
