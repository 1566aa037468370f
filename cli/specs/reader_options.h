#pragma once

#include <span>

#include "tools/loaders/spec_source.h"
#include "tools/registry.h"
#include "tools/specs/reader.h"

namespace toolway::cli {

/// With what every spec of this program is read, by gateways and by `toolway specs`.
tools::ReaderOptions reader_options(std::span<const tools::Spec> natives);

/// Reads specs that may adjust the native tools of `builtin`.
tools::ReadSpecs spec_reader(const tools::Registry& builtin);

}  // namespace toolway::cli
