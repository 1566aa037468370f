#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "extensions/auth/refusal.h"
#include "proto/toolway/v1/api_key.pb.h"

namespace toolway::extensions::auth {

/// Every API key of the fleet, as the bucket `api_keys` has them. Told of
/// each entry, in any order; the newest revision counts. Pure; thread-safe.
class KeyRing {
 public:
  /// An entry of the bucket. One that cannot be read opens nothing.
  void take(const std::string& id, std::string_view value, std::uint64_t revision);
  /// The bucket was made again, and what it has is taken from now on: `end_again` forgets the rest.
  void begin_again();
  void end_again();
  /// Until all of the bucket was taken once, no key can be refused.
  void all_taken() { known_ = true; }
  bool known() const { return known_; }

  /// Errors: kInvalid, kExpired, kRevoked; kUnavailable for a key that is not known before
  /// `all_taken`. Takes as long for a wrong secret as for a key that does not exist.
  Checked check(std::string_view key, WallTime now) const;
  /// Whether that key still opens anything.
  bool valid(const std::string& id, WallTime now) const;
  /// Grows with each change: as long as it is the same, `valid` says the same, apart from keys that
  /// expire.
  std::uint64_t changes() const { return changes_; }

  /// The record to be written instead of the one of this revision, when the key was not used in
  /// this hour yet; at most once for each key and hour.
  struct Use {
    std::string value;
    std::uint64_t revision = 0;
  };
  std::optional<Use> note_use(const std::string& id, WallTime now);

  std::size_t size() const;

 private:
  struct Entry {
    std::string value;  ///< an ApiKeyRecord
    std::uint64_t revision = 0;
    std::int32_t noted_hour = 0;
    std::uint32_t turn = 0;
  };
  std::optional<v1::ApiKeyRecord> find(const std::string& id) const;

  std::atomic<bool> known_{false};
  std::atomic<std::uint64_t> changes_{0};
  mutable Mutex mutex_;
  std::unordered_map<std::string, Entry> entries_ GUARDED_BY(mutex_);
  std::uint32_t turn_ GUARDED_BY(mutex_) = 0;
};

/// When a record expires: WallTime::max() when never. Pure.
WallTime expiry_of(const v1::ApiKeyRecord& record);

}  // namespace toolway::extensions::auth
