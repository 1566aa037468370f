#pragma once

#include <string_view>

namespace toolway::gateway::wire {

/// `[A-Za-z0-9._-]{1,128}`: a request id that is taken over from the client.
bool valid_request_id(std::string_view text);

}  // namespace toolway::gateway::wire
