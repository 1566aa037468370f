#pragma once

#include <string_view>

#include "bus/messenger.h"

namespace toolway::bus {

/// Whether a nats-server is new enough to sync each message before it acknowledges it, which
/// durability `power` needs: 2.10 or later. Its answer to STREAM.INFO tells, which names a stream's
/// compression since then. Whether it does sync is its configuration's matter, which no client can
/// read. Errors: kInvalidRequest: it cannot.
Result<void> can_sync(std::string_view stream_info);

/// Asks the server, which must have the stream CALLS. Blocks for some seconds at most; not for
/// threads of the bus. Errors: kInvalidRequest: it cannot; those of `Bus::request`.
Result<void> server_can_sync(Messenger& bus);

}  // namespace toolway::bus
