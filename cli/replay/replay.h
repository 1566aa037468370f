#pragma once

#include "cli/client/verbs.h"
#include "cli/replay/options.h"

/// `toolway replay`: makes the calls of a recorded session again, and compares.
namespace toolway::cli::replay {

/// 0: all is as recorded, within the bounds; kExitInternal (1): something differs; other statuses
/// as of the other verbs that talk to a gateway.
int replay(const client::ClientContext& context, const ReplayOptions& options);

}  // namespace toolway::cli::replay
