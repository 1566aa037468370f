#pragma once

#include "bus/bus.h"
#include "gateway/live/live_event.h"

namespace toolway::gateway::live {

/// A follower of a session or a call. Called on the io_context's thread; must not
/// begin or end following in there.
class LiveSink {
 public:
  virtual ~LiveSink() = default;
  virtual void on_live(const LiveEventPtr& event) = 0;
  /// Between what came live so far and what will come there may be a gap: after
  /// kDisconnected nothing is certain until kConnected.
  virtual void on_connection(bus::Connection state) = 0;
};

}  // namespace toolway::gateway::live
