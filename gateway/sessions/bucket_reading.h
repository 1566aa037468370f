#pragma once

#include <functional>

#include "gateway/loop/async_bus.h"

namespace toolway::gateway::sessions {

/// What the bucket has at one sequence; false: read no further.
using SeenEntry = std::function<bool(const bus::StoredMessage&)>;

/// Reads every entry of the bucket `sessions` that is not empty, one after the other, at most 2,000
/// a second: a count in the background, which nothing waits for. An entry that is written again
/// while it reads is seen with an old or the new value. Returns true at the end of the bucket, and
/// false when `seen` said so, or the process stops; tries again while the bus does not answer. On
/// the io_context's thread.
loop::Task<bool> read_bucket(loop::AsyncBus& bus, SeenEntry seen);

}  // namespace toolway::gateway::sessions
