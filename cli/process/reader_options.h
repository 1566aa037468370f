#pragma once

#include <string>
#include <vector>

#include "tools/executors/python/python_options.h"
#include "tools/loaders/overlays.h"
#include "tools/loaders/spec_source.h"
#include "tools/model/registry.h"
#include "tools/specs/reader.h"

namespace toolway::cli {

/// Reads specs that may adjust the native tools of `builtin`. What a python spec leaves out
/// is found in its function by an interpreter of `python`. For gateways and `toolway specs` alike.
tools::ReadSpecs spec_reader(const tools::Registry& builtin, tools::PythonOptions python,
                             tools::Entries entries = tools::Entries::kForgotten);

/// The overlays of environment `env`, read likewise; null: `env` is empty.
std::unique_ptr<tools::Overlays> overlays_of(const std::string& env, const tools::Registry& builtin,
                                             tools::PythonOptions python);
/// Whether specs must keep what overlays change.
inline tools::Entries entries_for(const std::string& env) {
  return env.empty() ? tools::Entries::kForgotten : tools::Entries::kKept;
}

/// How interpreters are started that only look at functions.
tools::PythonOptions python_options(const std::string& interpreter,
                                    const std::vector<std::string>& path);

}  // namespace toolway::cli
