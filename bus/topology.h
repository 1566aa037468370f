#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "bus/bus.h"

namespace toolway::bus {

/// ack_wait of the collectors' durables: Postgres may be away for a while.
inline constexpr std::chrono::seconds kAckWait{30};
/// ack_wait of a pool's durables, whose workers extend their deliveries three times as often: this
/// long after a worker was killed, its calls go to another one.
inline constexpr std::chrono::seconds kCallAckWait{6};

struct DurableConfig {
  std::string name;
  std::string filter;  ///< empty: the whole stream
  std::size_t max_ack_pending = 1000;
  std::chrono::seconds ack_wait = kAckWait;
};

struct StreamConfig {
  std::string name;
  std::string subjects;
  std::string republish_from;  ///< empty: not republished
  std::string republish_to;
  bool bucket =
      false;  ///< a key-value bucket: the last value of each key; full, it refuses new entries
  bool drops_oldest = false;  ///< of a bucket: full, its oldest entries go instead
  std::chrono::seconds max_age{0};
  std::int64_t max_bytes = -1;
  unsigned replicas = 1;
  std::vector<DurableConfig> durables;
};

/// The streams, buckets and durables that a layout describes: the one
/// description that both buses provision from.
std::vector<StreamConfig> topology(const Layout& layout);

/// The stream that stores what is published on a subject; empty: none of ours.
std::string_view stream_of(std::string_view subject);

/// An entry not written for this long leaves its bucket: the names of sessions that were taken out,
/// and sessions that are not used. Nothing else removes them, so this and the bucket's size say how
/// many new sessions a second all users may open in the long run (docs/sessions.md), ...
inline constexpr std::chrono::hours kSessionsAge{24 * 7};
/// ... and the tools of MCP servers that no worker has any longer.
inline constexpr std::chrono::hours kToolsetsAge{24 * 7};
/// A permit not written for this long leaves its bucket.
inline constexpr std::chrono::minutes kPermitsAge{1};
/// Within it, a second publication of the same message id is stored once.
inline constexpr std::chrono::minutes kDuplicateWindow{2};

}  // namespace toolway::bus
