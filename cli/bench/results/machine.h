#pragma once

#include <string>

#include "base/json.h"

namespace toolway::cli::bench::results {

/// What figures depend on besides the program: cores, model, memory, kernel, and the machine's load
/// (its average over the last minute), since a figure from a busy machine also measures the other
/// programs on it.
OrderedJson machine_facts();

/// What the program of a process says of its version, as `nats-server: v2.10.7`; empty when it
/// cannot be asked.
std::string version_of(int pid);

/// The version, and the commit that `program` was built from when it lies inside a checkout (""
/// otherwise).
OrderedJson program_facts(const std::string& program);

}  // namespace toolway::cli::bench::results
