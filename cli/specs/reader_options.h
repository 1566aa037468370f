#pragma once

#include <string>
#include <vector>

#include "tools/executors/python/python_options.h"
#include "tools/loaders/spec_source.h"
#include "tools/registry.h"
#include "tools/specs/reader.h"

namespace toolway::cli {

/// Reads specs that may adjust the native tools of `builtin`. What a python spec leaves out
/// is found in its function by an interpreter of `python`. For gateways and `toolway specs` alike.
tools::ReadSpecs spec_reader(const tools::Registry& builtin, tools::PythonOptions python);

/// How interpreters are started that only look at functions.
tools::PythonOptions python_options(const std::string& interpreter, const std::vector<std::string>& path);

}  // namespace toolway::cli
