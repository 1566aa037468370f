#pragma once

#include <memory>

#include "gateway/gateway.h"

namespace toolway::gateway::server {

/// Errors: kInvalidRequest when host:port cannot be bound, with the system's words, or naming an
/// option of `edge` that cannot be read.
Result<std::unique_ptr<Gateway>> start_gateway(bus::Bus& bus,
                                               persistence::store::StoreReader& store,
                                               const tools::model::LiveRegistry& registry,
                                               monitoring::Metrics& metrics, const Clock& clock,
                                               GatewayOptions options);

}  // namespace toolway::gateway::server
