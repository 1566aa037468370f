#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/simulation/world.h"

namespace toolway::simulation {

/// Everything that can go wrong in a schedule. A bit each, so that a failing schedule can be
/// run again with fewer of them.
enum class Fault : std::uint8_t {
  kLostMessage,    ///< a publication, read or settlement does not arrive
  kLostAnswer,     ///< done, but its sender never learns of it
  kLate,           ///< milliseconds to 40 s on its way, overtaken by others
  kLostSettle,     ///< acks, naks and extensions
  kReplicaBehind,  ///< a read is answered by a replica that lags
  kLiveDropped,    ///< republished messages that do not reach a follower
  kCrash,
  kPause,
  kDisconnect,
  kServerRestart,
  kRemadeDurable,
  kWindow,  ///< the oldest calls and events leave their streams
  kSkewedClock,
  kClockJump,
  kCancel,
  kStoreFailure,  ///< Postgres refuses a batch, or does not say that it took it
  kRepeat,        ///< a client sends a request again, under its Idempotency-Key
  kForge,         ///< a held call is published to run, and no one has approved it
};
inline constexpr std::size_t kFaults = 18;
std::string_view fault_name(Fault fault);
inline constexpr std::uint32_t bit(Fault fault) { return 1U << static_cast<unsigned>(fault); }
inline constexpr std::uint32_t kAllFaults = (1U << kFaults) - 1;

/// Says when something goes wrong, until it clears up.
class Weather {
 public:
  Weather(World& world, std::uint32_t faults) : world_(world), faults_(faults) {}

  bool may(Fault fault) const { return !cleared_ && (faults_ & bit(fault)) != 0; }
  /// Draws whether the fault may happen or not: with fewer faults a schedule stays nearly the same.
  bool strikes(Fault fault, unsigned per_mille) {
    const bool drawn = world_.random().per_mille(per_mille);
    return drawn && may(fault);
  }
  /// From now on nothing goes wrong.
  void clear_up() { cleared_ = true; }
  bool cleared() const { return cleared_; }

  /// How long a message is on its way.
  Micros latency();

 private:
  World& world_;
  const std::uint32_t faults_;
  bool cleared_ = false;
};

}  // namespace toolway::simulation
