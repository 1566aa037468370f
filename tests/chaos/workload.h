#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "tests/chaos/agent.h"
#include "tests/chaos/follower.h"
#include "tests/chaos/key_holder.h"
#include "tests/chaos/mcp_agent.h"
#include "tests/chaos/talker.h"

namespace toolway::chaos {

/// All clients, each on threads of its own, from construction to `stop`.
class Workload {
 public:
  /// `entrance` and `book` outlive it.
  Workload(const Options& options, const Entrance& entrance, const KeyBook& book, History& history);
  ~Workload() { stop(); }
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  /// No more calls. Followers continue until `stop`.
  void end_calls();
  void stop();
  /// After `end_calls`: talkers send each of their sessions one more message, and wait for its end.
  void say_last();
  /// After `end_calls`: what talkers know of their sessions.
  std::vector<Talk> talks() const;
  std::vector<Watched> sessions() const;
  /// Whether it is a session of an MCP client.
  bool speaks_mcp(const Watched& session) const;

 private:
  Gossip gossip_;
  std::vector<std::unique_ptr<Agent>> agents_;
  std::vector<std::unique_ptr<McpAgent>> mcp_agents_;
  std::vector<std::unique_ptr<KeyHolder>> key_holders_;
  std::vector<std::unique_ptr<Talker>> talkers_;
  std::vector<std::unique_ptr<Follower>> followers_;
  std::atomic<bool> calls_end_{false};
  std::atomic<bool> stop_{false};
  std::vector<std::jthread> callers_;
  std::vector<std::jthread> watchers_;
};

}  // namespace toolway::chaos
