#pragma once

#include <list>
#include <memory>
#include <string>

#include "tests/simulation/process.h"

namespace toolway::simulation {

/// Core NATS: which subscribers hear what is said now. Nothing is stored here.
class Network {
 public:
  explicit Network(World& world) : world_(world) {}

  struct Ear {
    std::weak_ptr<Process> process;
    std::string filter;
    std::string group;  ///< one member of a group hears it
    std::function<void(const std::string& subject, const std::string& payload,
                       const std::string& reply, std::uint64_t sequence)>
        hear;
  };
  using EarPtr = std::shared_ptr<Ear>;

  /// Hears as long as the pointer lives.
  EarPtr listen(Ear ear);
  /// What the server sends on when it has stored it: to each follower by itself, so that one
  /// message may overtake another; a slow follower loses some, and is told of a gap.
  void republish(const std::string& subject, const std::string& payload, std::uint64_t sequence,
                 Weather& weather);
  /// All that would hear `subject` now.
  std::vector<EarPtr> listeners(const std::string& subject);

 private:
  World& world_;
  std::list<std::weak_ptr<Ear>> ears_;
};

}  // namespace toolway::simulation
