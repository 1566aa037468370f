#pragma once

#include <memory>

#include "bus/bus.h"
#include "cli/process/processes.h"
#include "monitoring/metrics.h"
#include "tools/loaders/spec_loader.h"

namespace toolway::cli {

/// Keeps `live` what the sources of a gateway say: files and URLs of `options`, and the
/// table in Postgres. What it is given must outlive the loader. Errors: kInvalidSpec
/// with all mistakes of all files, kInvalidRequest.
Result<std::unique_ptr<tools::SpecLoader>> start_gateway_specs(
    const ProcessOptions& options, std::shared_ptr<const tools::Registry> builtin,
    tools::LiveRegistry& live, bus::Bus& bus, monitoring::Metrics& metrics);

}  // namespace toolway::cli
