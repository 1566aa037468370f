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

/// What a gateway knows of the queues and streams, asked every second and never while a request waits.
namespace toolway::gateway {

/// One durable of a pool, as it was when it was asked last.
struct QueueFacts {
  std::string durable;
  proto::Lane lane = proto::Lane::kNormal;
  unsigned partition = 0;
  bus::ConsumerState state{};
  double drained = 0;  ///< calls/s given to workers lately
  std::chrono::milliseconds oldest{0};  ///< age of the call that is delivered next; 0: none waits
};

struct BusFacts {
  std::optional<MonotonicTime> at;  ///< when all of this was asked; nothing: never yet
  std::map<std::string, std::vector<QueueFacts>, std::less<>> pools;
  /// By stream: what is not recorded, as a part of what the stream keeps.
  std::map<std::string, double, std::less<>> unrecorded;
  std::map<std::string, bus::StreamState, std::less<>> streams;  ///< the same ones

  const std::vector<QueueFacts>* queues_of(std::string_view pool) const;
  /// Calls of a pool that no worker was given yet.
  std::uint64_t waiting_in(std::string_view pool) const;
};

/// Where a call is queued.
struct QueuePlace {
  proto::Lane lane = proto::Lane::kNormal;
  unsigned partition = 0;
};

/// The place of a session's call among the durables that exist: of the lane that is wanted,
/// if it has one. While nothing is known yet, the first partition.
QueuePlace place_of(const BusFacts& facts, std::string_view pool, proto::Lane wanted,
                    const SessionKey& session);

/// Calls/s that a durable gave out between two askings, from how far it went in the stream
/// and how many of the stream's messages are its own.
double drain_rate(const bus::ConsumerState& before, const bus::ConsumerState& after,
                  std::uint64_t stream_end, std::chrono::duration<double> between);

}  // namespace toolway::gateway
