#pragma once

#include <string>
#include <vector>

#include "tools/executors/python/python_options.h"
#include "tools/specs/reader.h"

namespace toolway::cli {

/// What one file says.
struct SpecFileRead {
  std::string file;
  std::vector<tools::ReadSpec> specs;
};

/// Files and directories read as a gateway reads them, for `toolway specs`.
struct SpecTexts {
  std::vector<SpecFileRead> files;
  std::vector<tools::Mistake> mistakes;  ///< of all files, also of names that several have
};
SpecTexts read_spec_texts(const std::vector<std::string>& paths, const tools::PythonOptions& python);

}  // namespace toolway::cli
