#pragma once

#include "gateway/endpoints/endpoints.h"

namespace toolway::gateway::endpoints {

/// Answers one request: finds its route and caller, and turns a problem into its response.
/// `route` becomes the one that it found.
loop::Task<wire::Response> handle(const Endpoints& endpoints, const wire::Request& request,
                                  wire::Route& route);

}  // namespace toolway::gateway::endpoints
