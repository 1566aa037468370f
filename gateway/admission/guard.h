#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "bus/unrecorded.h"
#include "gateway/admission/bus_facts.h"
#include "gateway/admission/shares.h"

/// Whether a call may be accepted now: decided from facts alone.
namespace toolway::gateway::admission {

struct GuardCaps {
  double unrecorded = bus::kRefuseAbove;  ///< of what a stream keeps
  std::uint64_t pool_queue = 200'000;     ///< calls that wait in a pool
  ShareCaps shares{};
};

/// Facts older than this do not count while the bus is away.
inline constexpr std::chrono::seconds kFactsLast{5};
/// After this long without any answer JetStream counts as away: it may be, while the
/// server's connections still answer (a full disk, a stream without a leader).
inline constexpr std::chrono::seconds kSilenceLasts{5};

/// How NATS is, as known without asking.
struct BusHealth {
  bus::Connection connection = bus::Connection::kConnected;
  std::chrono::nanoseconds silent{0};  ///< how long JetStream has left questions unanswered
  bool ever_heard = true;              ///< it has ever answered
  /// Whether JetStream can be used.
  bool answers() const {
    return connection == bus::Connection::kConnected && ever_heard && silent < kSilenceLasts;
  }
};

/// Why no call for `pool` is accepted, with the time after which to try again; nothing: calls
/// are accepted. Codes: collector_behind, pool_unavailable, queue_full, bus_unavailable.
std::optional<Error> refuse_call(const BusFacts& facts, const GuardCaps& caps,
                                 std::string_view pool, BusHealth bus, MonotonicTime now);

/// The same for the share of its session and user. Code: too_many_calls.
std::optional<Error> refuse_share(Shares::Placement verdict, const ShareCaps& caps);

/// What a publication on CALLS that the server refused means. `error` is the bus's.
Error refused_by_stream(Error error);

}  // namespace toolway::gateway::admission
