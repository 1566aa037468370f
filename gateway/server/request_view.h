#pragma once

#include "gateway/wire/http_types.h"
#include "gateway/wire/request_reader.h"

namespace toolway::gateway::server {

/// What was read as a handler sees it, views into `reader`; without the connection's own part.
/// `peer`: how far its address is trusted.
wire::Request request_of(const wire::RequestReader& reader, wire::UserHeader peer);

}  // namespace toolway::gateway::server
