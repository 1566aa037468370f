#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "proto/toolway/v1/call.pb.h"

namespace toolway::gateway::live {

/// An event as it came live; shared by all who follow it.
struct LiveEvent {
  v1::CallEvent event;
  std::uint64_t sequence = 0;  ///< in stream EVENTS
  std::size_t bytes = 0;
};
using LiveEventPtr = std::shared_ptr<const LiveEvent>;

}  // namespace toolway::gateway::live
