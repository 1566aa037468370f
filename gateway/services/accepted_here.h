#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

namespace toolway::gateway {

/// Where in stream CALLS this gateway stored the calls that it accepted last: the newest 50,000, about 120
/// bytes each. On one thread.
class AcceptedHere {
 public:
  explicit AcceptedHere(std::size_t most = 50'000) : most_(most) {}
  void note(const std::string& call_id, std::uint64_t sequence);
  std::optional<std::uint64_t> find(const std::string& call_id) const;
  std::size_t size() const { return sequences_.size(); }

 private:
  using Sequences = std::unordered_map<std::string, std::uint64_t>;
  const std::size_t most_;
  Sequences sequences_;
  std::deque<const Sequences::value_type*> by_age_;  // nodes of the map; they stay where they are
};

}  // namespace toolway::gateway
