#pragma once

#include <memory>
#include <string>
#include <vector>

#include "local/nats_server.h"
#include "tests/chaos/options.h"

namespace toolway::chaos {

/// One nats-server, or a cluster of three, with their data below `data` and their logs in `logs`,
/// which must exist. Errors: as NatsServer::start.
Result<std::vector<std::unique_ptr<local::NatsServer>>> start_nats(const Options& options,
                                                                   const std::string& data,
                                                                   const std::string& logs);

/// Their URLs, separated by commas.
std::string urls_of(const std::vector<std::unique_ptr<local::NatsServer>>& nodes);

}  // namespace toolway::chaos
