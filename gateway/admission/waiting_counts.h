#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace toolway::gateway::admission {

/// How many calls this gateway counts under each limit on waiting calls, by the limits' keys
/// (extensions/limits/bucket_key.h). Pure; on one thread; must outlive its places.
class WaitingCounts {
 public:
  std::uint64_t of(const std::string& key) const;
  /// Those whose number has changed since the last time, with it.
  std::vector<std::pair<std::string, std::uint64_t>> take_changed();
  bool changed() const { return !changed_.empty(); }
  const std::unordered_map<std::string, std::uint64_t>& all() const { return counts_; }

 private:
  friend class WaitingPlace;
  void add(const std::string& key);
  void remove(const std::string& key);

  std::unordered_map<std::string, std::uint64_t> counts_;
  std::unordered_set<std::string> changed_;
};

/// One call, counted while this exists.
class WaitingPlace {
 public:
  WaitingPlace(WaitingCounts& counts, std::vector<std::string> keys);
  ~WaitingPlace();
  WaitingPlace(const WaitingPlace&) = delete;
  WaitingPlace& operator=(const WaitingPlace&) = delete;

  const std::vector<std::string>& keys() const { return keys_; }

 private:
  WaitingCounts& counts_;
  const std::vector<std::string> keys_;
};
/// Null: no limit counts the call.
using WaitingPlacePtr = std::unique_ptr<WaitingPlace>;

}  // namespace toolway::gateway::admission
