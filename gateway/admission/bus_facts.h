#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "bus/bus.h"
#include "proto/subjects.h"

/// What a gateway knows of the queues and streams, asked every second and never while a request
/// waits.
namespace toolway::gateway::admission {

/// One durable of a pool, as it was when last asked.
struct QueueFacts {
  std::string durable;
  proto::Lane lane = proto::Lane::kNormal;
  unsigned partition = 0;
  bus::ConsumerState state{};
  double drained = 0;                   ///< calls/s given to workers recently
  std::chrono::milliseconds oldest{0};  ///< age of the call that comes next; 0: none waits
};

struct BusFacts {
  std::optional<MonotonicTime> at;  ///< when all of this was asked; nothing: never so far
  std::map<std::string, std::vector<QueueFacts>, std::less<>> pools;
  /// By stream: what is not recorded, as a fraction of what the stream keeps.
  std::map<std::string, double, std::less<>> unrecorded;
  std::map<std::string, bus::StreamState, std::less<>> streams;  ///< the same ones

  const std::vector<QueueFacts>* queues_of(std::string_view pool) const;
  /// Calls of a pool that were not given to a worker yet.
  std::uint64_t waiting_in(std::string_view pool) const;
};

/// Where a call is queued.
struct QueuePlace {
  proto::Lane lane = proto::Lane::kNormal;
  unsigned partition = 0;
};

/// The place of a session's call among the durables that exist: in the wanted lane, if the
/// pool has it. While nothing is known yet, the first partition.
QueuePlace place_of(const BusFacts& facts, std::string_view pool, proto::Lane wanted,
                    const SessionKey& session);

/// Calls/s that a durable handed out between two questions, from how far it advanced in the stream
/// and how many of the stream's messages are its own.
double drain_rate(const bus::ConsumerState& before, const bus::ConsumerState& after,
                  std::uint64_t stream_end, std::chrono::duration<double> between);

}  // namespace toolway::gateway::admission
