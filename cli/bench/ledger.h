#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cli/bench/call_key.h"

namespace toolway::cli {

/// What is known about every call that was made. An event may come before the
/// answer to the request that made its call, so either makes the entry.
class Ledger {
 public:
  struct Entry {
    std::int64_t sent = 0;          ///< ns; in an open loop, when it should have been sent
    std::int64_t accepted = 0;      ///< ns; 0: no answer yet
    std::int64_t first = 0;         ///< ns; 0: no event yet
    std::int64_t completed = 0;     ///< ns; 0: not yet
    std::int64_t submitted_us = 0;  ///< by the server's clock, from Postgres
    std::int64_t recorded_us = 0;
    std::int32_t lane = -1;
    std::int32_t last_seq = 0;  ///< of its progress and log events
    bool started = false;       ///< seen to start
    bool measured = false;      ///< made after the warm-up
    bool succeeded = false;
  };

  /// The entry of a call id, made when it is new; null when it is not an id.
  Entry* of(std::string_view call_id) {
    const auto key = parse_call_key(call_id);
    if (!key) return nullptr;
    const auto [found, fresh] = index_.try_emplace(*key, entries_.size());
    if (fresh) entries_.emplace_back();
    return &entries_[found->second];
  }
  std::vector<Entry>& entries() { return entries_; }
  void reserve(std::size_t count) {
    entries_.reserve(count);
    index_.reserve(count);
  }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<CallKey, std::size_t, CallKeyHash> index_;
};

}  // namespace toolway::cli
