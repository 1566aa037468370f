#pragma once

#include "gateway/wire/problem.h"

/// What clients are told about sessions.
namespace toolway::gateway::sessions {

/// There is none of that name.
tl::unexpected<wire::Problem> unknown_session();

/// What a write that the bucket refused means to a client.
wire::Problem write_problem(Error error);

}  // namespace toolway::gateway::sessions
