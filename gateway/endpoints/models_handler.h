#pragma once

#include <vector>

#include "gateway/admission/worker_roster.h"
#include "gateway/wire/routed_request.h"

namespace toolway::gateway::endpoints {

/// The models that chat processes announce, by name, in the form of the API whose client asks. One
/// of a process that drains is not among them. Pure.
wire::HttpResult<wire::Response> list_models(const std::vector<admission::HeardWorkerPtr>& chat,
                                             const wire::RoutedRequest& routed);
/// The one that the path names. Errors: kNotFound.
wire::HttpResult<wire::Response> show_model(const std::vector<admission::HeardWorkerPtr>& chat,
                                            const wire::RoutedRequest& routed);

}  // namespace toolway::gateway::endpoints
