#pragma once

#include <string>
#include <vector>

#include "tools/executors/python/python_options.h"
#include "tools/loaders/overlays.h"
#include "tools/loaders/spec_source.h"
#include "tools/model/registry.h"
#include "tools/specs/reader.h"

namespace toolway::cli::process {

/// Whether resources may name files: only where the specs are a file themselves.
enum class Contents { kOfFiles, kRefused };

/// Reads specs that may adjust the native tools of `builtin`. What a python spec leaves out
/// is found in its function by an interpreter of `python`. For gateways and `toolway specs` alike.
tools::loaders::ReadSpecs spec_reader(
    const tools::model::Registry& builtin, tools::executors::python::PythonOptions python,
    tools::specs::Entries entries = tools::specs::Entries::kForgotten,
    Contents contents = Contents::kOfFiles);

/// The same of texts that come over HTTP: no interpreter is started for what they say, so a python
/// spec must have its `input_schema`.
tools::loaders::ReadSpecs sent_spec_reader(const tools::model::Registry& builtin);

/// The overlays of environment `env`, read likewise; null: `env` is empty.
std::unique_ptr<tools::loaders::Overlays> overlays_of(
    const std::string& env, const tools::model::Registry& builtin,
    tools::executors::python::PythonOptions python);
/// Whether specs must keep what overlays change.
inline tools::specs::Entries entries_for(const std::string& env) {
  return env.empty() ? tools::specs::Entries::kForgotten : tools::specs::Entries::kKept;
}

/// How interpreters are started that only look at functions.
/// Whether this build could offer the spec that was stored as `document`, perhaps long ago. Errors:
/// kInvalidSpec, saying why not.
Result<void> check_stored_version(const std::string& document);

tools::executors::python::PythonOptions python_options(const std::string& interpreter,
                                                       const std::vector<std::string>& path);

}  // namespace toolway::cli::process
