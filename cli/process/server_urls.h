#pragma once

#include <string>

namespace toolway::cli::process {

/// Of `nats://user:password@host,…` what may be shown. Pure.
std::string without_password(std::string urls);

}  // namespace toolway::cli::process
