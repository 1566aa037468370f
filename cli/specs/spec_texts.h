#pragma once

#include <string>
#include <vector>

#include "tools/executors/python/python_options.h"
#include "tools/loaders/spec_source.h"

namespace toolway::cli::specs {

/// What one file says.
struct SpecFileRead {
  std::string file;
  std::vector<tools::loaders::OfferedSpec> specs;
  std::size_t prompts = 0;
  std::size_t resources = 0;
  std::string overlay;      ///< environment that it changes specs for; empty: not an overlay
  std::size_t patches = 0;  ///< of an overlay
};

/// Files and directories read as a gateway reads them, for `toolway specs`.
struct SpecTexts {
  std::vector<SpecFileRead> files;
  std::vector<toolway::Mistake> mistakes;  ///< of all files, also of names that several have
};
/// `env`: whose overlays are applied; empty: none, their form alone is checked.
SpecTexts read_spec_texts(const std::vector<std::string>& paths,
                          const tools::executors::python::PythonOptions& python,
                          const std::string& env = {});

/// Candidates without a stable version in the same files: a gateway would refuse those files.
std::vector<toolway::Mistake> lonely_candidates(const SpecTexts& texts);

}  // namespace toolway::cli::specs
