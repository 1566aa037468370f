#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace toolway::chaos {

struct Options {
  double minutes = 1;        ///< how long the storm lasts at most
  std::uint64_t calls = 0;   ///< it ends earlier once this many are accepted; 0: by time alone
  std::uint64_t seed = 0;    ///< 0: from the clock
  double rate = 60;          ///< calls posted per second, all agents together
  double fault_every = 2.5;  ///< seconds between faults, on average
  unsigned agents = 12;
  unsigned mcp_agents = 6;   ///< besides them, clients that speak MCP
  double mcp_rate = 12;      ///< calls per second, all of them together
  unsigned key_holders = 3;  ///< and clients with keys that an operator makes and revokes
  unsigned talkers = 4;      ///< and clients that talk to a model
  unsigned users = 6;
  unsigned gateways = 3;
  unsigned workers = 3;
  unsigned collectors = 2;
  unsigned chats = 2;
  unsigned quiet = 180;          ///< seconds that pending calls may take after the storm
  unsigned session_idle = 0;     ///< seconds after which an unused session expires; 0: never
  std::string nats_server;       ///< empty: from PATH
  bool cluster = false;          ///< three nats-servers and three replicas
  std::uint64_t disk_mb = 6144;  ///< size of the disk in memory, which "fill disk" makes too small
  std::string directory;         ///< of the run; empty: one below /tmp
  std::set<std::string> leave_out;  ///< kinds of requests and faults that are not made
  std::set<std::string> only;       ///< faults that are made; empty: all
  bool keep = false;                ///< keep the directory even when all is well

  bool with(const std::string& what) const { return !leave_out.contains(what); }
  /// Whether there are chat processes, and conversations.
  bool converses() const { return talkers > 0 && chats > 0 && with("chat"); }
  bool with_fault(const std::string& name) const {
    return with(name) && (only.empty() || only.contains(name));
  }
};

}  // namespace toolway::chaos
