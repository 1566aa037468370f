#pragma once

namespace toolway::simulation {

/// A rule that a schedule breaks on purpose, to show that it would be noticed.
enum class Broken {
  kNothing,
  kExpectedLast,  ///< stores what does not follow
  kEarlyAck,      ///< a call is acknowledged as it is delivered
  kRerun,         ///< workers take every tool for an idempotent one
  kLostEvent,     ///< one event in a hundred is acknowledged and not stored
  kLease,         ///< a conversation takes messages of those who have lost it
  kAttempt,       ///< its lease names a turn, and no attempt
  kEnded,         ///< a turn that has ended is given its conversation again
  kNumber,        ///< it takes a message whatever its number is
  kApproval,      ///< gateways hold no call, and workers do not ask whether they should have
};

}  // namespace toolway::simulation
