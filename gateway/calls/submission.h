#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "bus/bus.h"

namespace toolway::gateway::calls {

/// What a submission does next. Each kind has one consequence.
struct SubmitStep {
  enum class Kind {
    kPublish,   ///< publish the call, always under the same id, and report the answer with
                ///< `answered`
    kPause,     ///< wait for `delay`, and report it with `resumed`
    kAccepted,  ///< the call is stored, at `sequence`
    kRefused,   ///< the call is certainly not stored, because of `error`
    kUnknown,   ///< the call was sent, and whether it is stored cannot be found out in time
  };
  Kind kind = Kind::kPublish;
  std::chrono::milliseconds delay{0};
  std::uint64_t sequence = 0;
  std::optional<Error> error{};
};

/// Publishes one call until it is stored or refused, or the time to accept it has passed. A
/// publication without an answer may have been stored: from then on the same id is published again,
/// which the server stores once, and the call is never said to be refused. It is not published for
/// the second time after the deadline: by then the server may have forgotten the id. Pure: handed
/// the time, and answers of the bus. For one call.
class Submission {
 public:
  /// Between two publications of the same call.
  static constexpr std::chrono::milliseconds kRetryDelay{50};

  explicit Submission(MonotonicTime deadline) : deadline_(deadline) {}

  /// Always kPublish: a call is published once, however little time there is.
  SubmitStep begin() const { return {}; }
  /// How the publication went.
  SubmitStep answered(Result<bus::PubAck> ack, MonotonicTime now);
  /// After kPause; a gateway that slept may find itself long after it.
  SubmitStep resumed(MonotonicTime now) const;

 private:
  using Kind = SubmitStep::Kind;
  const MonotonicTime deadline_;
  bool sent_ = false;  ///< a publication may have arrived
};

}  // namespace toolway::gateway::calls
