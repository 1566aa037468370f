#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace toolway::gateway::calls {

/// Where in stream CALLS this gateway stored the calls that it accepted last: the newest 50,000. In
/// three blocks of memory, 2.7 MB in all: nodes of a map, which leave in the order in which they
/// came, would scatter holes over the heap and make every later allocation slower. On one thread.
class AcceptedHere {
 public:
  /// `most`: at least 1
  explicit AcceptedHere(std::size_t most = 50'000);
  void note(const CallId& call, std::uint64_t sequence);
  std::optional<std::uint64_t> find(const CallId& call) const;
  std::size_t size() const { return calls_.size(); }

 private:
  using Link = std::uint32_t;  ///< of a chain: a place in `calls_`
  using Id = std::array<char, CallId::kLength>;
  struct Call {
    Id id;
    Link next;
    std::uint64_t sequence;
  };
  static Id id_of(const CallId& call);
  std::size_t chain_of(const Id& id) const;
  /// The link that leads to the call, or the end of the chain that it would be in.
  const Link& link_to(const Id& id) const;
  Link& link_to(const Id& id) { return const_cast<Link&>(std::as_const(*this).link_to(id)); }

  const std::size_t most_;
  std::vector<Call> calls_;   // a ring, once it is full
  std::size_t oldest_ = 0;    // of the ring
  std::vector<Link> chains_;  // by hash: the first of each
};

}  // namespace toolway::gateway::calls
