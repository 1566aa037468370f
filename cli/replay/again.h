#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/replay/recorded_session.h"

namespace toolway::cli::replay {

/// What was made again, and how it ended.
struct Replayed {
  std::string session;  ///< in which the calls were made
  std::vector<Pair> pairs;
  int status = 0;  ///< how to exit when the gateway refused the session, which was reported
};

/// Makes the calls one after another, in the order in which they were recorded, in a new session
/// on the gateway of `context`. Each may take `timeout`, except one that waits for approval, which
/// is left waiting. `progress` is told of the pairs so far after each call.
Replayed make_again(const client::ClientContext& context, const RecordedSession& recorded,
                    const std::string& session, std::chrono::seconds timeout,
                    std::span<const std::string> ignored,
                    const std::function<void(std::span<const Pair>)>& progress);

}  // namespace toolway::cli::replay
