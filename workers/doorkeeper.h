#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "proto/toolway/v1/call.pb.h"

namespace toolway::workers {

/// Says whether a call may start now, after the policy. A call that may not is given back without
/// an attempt, and comes again 200 ms later, as where a limit on running calls is full: it takes up
/// no slot. Thread-safe.
class Doorkeeper {
 public:
  virtual ~Doorkeeper() = default;
  /// Where a call's message is in stream CALLS.
  struct Place {
    std::string subject;
    std::uint64_t sequence = 0;
  };
  /// Must not block. `answered` is called once, on any thread.
  virtual void ask(const v1::CallRequest& request, Place place,
                   std::function<void(bool)> answered) = 0;
};

}  // namespace toolway::workers
