#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "cli/terminal/style.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::cli::dev {

/// What the calls of a stack do, in lines for its terminal. Pure: events and times go in.
class Activity {
 public:
  /// A line when the event ends a call: `14:24:50  time.get_current_time succeeded in 12 ms  …`.
  std::optional<std::string> take(const v1::CallEvent& event, const terminal::Style& style);

  /// `1 call (bench.work, 12 s)`, `3 calls (the oldest: bench.work, 12 s)`; empty: none is running.
  std::string running(WallTime now) const;

 private:
  struct Running {
    std::string tool;
    WallTime since;
  };
  std::map<std::string, Running> running_;  ///< by call id
};

}  // namespace toolway::cli::dev
