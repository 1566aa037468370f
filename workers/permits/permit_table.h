#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "bus/key_value.h"

namespace toolway::workers::permits {

/// A worker that could not renew a permit for this long stops the call that runs under it ...
inline constexpr std::chrono::seconds kHolderStopsAfter{20};
/// ... so that the permit is free once the others have heard nothing of it for this long.
inline constexpr std::chrono::seconds kFreeAfter{30};

/// One limit on running calls that a call is under.
struct PermitAsked {
  std::string limit;  ///< of its rule
  std::string key;    ///< what is counted (extensions/limits/bucket_key.h)
  std::uint32_t most = 0;
};

/// What a worker remembers of the bucket `permits`: an entry for each permit of a limit, with its
/// holder's name while a call runs under it, and empty afterwards. The bucket itself decides who
/// gets one, by compare-and-set. Pure: handed the time. Not thread-safe.
class PermitTable {
 public:
  /// A permit that is free as far as is known, and over which write it may be taken.
  struct Free {
    std::string entry;
    std::uint64_t revision = 0;  ///< 0: there is no such entry
  };

  /// `seed`: where this worker begins to look, so that not all want the same one.
  explicit PermitTable(std::uint64_t seed) : next_(seed) {}

  void heard(const bus::Entry& entry, MonotonicTime now);
  /// These are the whole bucket.
  void heard_all(const std::vector<bus::Entry>& entries, MonotonicTime now);
  /// The bucket has no entry of that name.
  void absent(const std::string& entry);
  /// Forgets what has left the bucket by its age.
  void sweep(MonotonicTime now);

  bool full(const PermitAsked& asked, MonotonicTime now) const;
  /// One that is free, and not offered again until `answered`.
  std::optional<Free> choose(const PermitAsked& asked, MonotonicTime now);
  void answered(const std::string& entry);
  std::size_t entries() const { return known_.size(); }

 private:
  struct Known {
    std::uint64_t revision = 0;
    bool held = false;
    MonotonicTime heard_at{};
  };
  static std::string entry_name(const PermitAsked& asked, std::uint32_t number);
  bool is_free(const std::string& entry, MonotonicTime now) const;

  std::uint64_t next_;
  std::unordered_map<std::string, Known> known_;  ///< by entry
  std::unordered_set<std::string> asked_;         ///< whose compare-and-set is in progress
};

}  // namespace toolway::workers::permits
