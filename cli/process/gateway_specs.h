#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "bus/bus.h"
#include "cli/process/process_options.h"
#include "monitoring/metrics.h"
#include "tools/loaders/spec_loader.h"

namespace toolway::cli::process {

/// What a gateway offers, which the sources of its specs change.
struct LiveTools {
  tools::model::LiveRegistry& tools;
  tools::specs::LiveOffers& offers;  ///< prompts and resources
};

/// Keeps `live` what the sources of a gateway say: files and URLs of `options`, and the
/// table in Postgres, of which `read_up_to` says the revision. What it is given must outlive the
/// loader. Errors: kInvalidSpec with all mistakes of all files, kInvalidRequest.
Result<std::unique_ptr<tools::loaders::SpecLoader>> start_gateway_specs(
    const ProcessOptions& options, std::shared_ptr<const tools::model::Registry> builtin,
    LiveTools live, bus::Bus& bus, monitoring::Metrics& metrics,
    std::shared_ptr<std::atomic<std::int64_t>> read_up_to);

}  // namespace toolway::cli::process
