#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gateway/live/live_order.h"
#include "tests/simulation/lives.h"
#include "tests/simulation/tables.h"

namespace toolway::simulation {

/// A client that follows a session, over any number of connections: where it is, and what it
/// was shown.
struct Reader {
  std::string session;  ///< `event.<shard>.<session>.>`
  std::uint64_t at = 0;
  std::vector<std::uint64_t> shown{};
};

/// One connection of a reader at a gateway: the splice of gateway/live/feed.cc and gateway/live/history.cc (recorded
/// up to the collectors' floor, from the stream above it, then live, dropped by sequence) with the real
/// LiveOrder. Their coroutines run on real timers and so cannot run here.
class Follower : public std::enable_shared_from_this<Follower> {
 public:
  Follower(const Surroundings& around, std::shared_ptr<Process> process, NodeBus& bus,
           const Tables& tables, Reader& reader);

  void begin();

 private:
  void find_beginning();
  void catch_up();
  void read_store(std::uint64_t floor, std::uint64_t end);
  void read_stream(std::uint64_t end, bus::ReadFrom from);
  void drain();
  void sweep();
  void show(std::uint64_t sequence);
  void again(Micros delay, void (Follower::*what)());

  const Surroundings around_;
  const std::shared_ptr<Process> process_;
  NodeBus& bus_;
  const Tables& tables_;
  Reader& reader_;
  gateway::LiveOrder order_;
  std::unique_ptr<bus::Subscription> subscription_;
  std::unique_ptr<bus::Subscription> watch_;
  std::set<std::uint64_t> buffer_;
  std::uint64_t begin_number_ = 0;  ///< answers to an earlier beginning are of no use
  bool caught_up_ = false;
  Micros hole_since_ = Micros::max();
  Micros compared_at_{0};
};

}  // namespace toolway::simulation
