#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/loaders/spec_source.h"

namespace toolway::cli::process {

/// Where a gateway's specs come from, as its command line and environment say.
struct SpecSourceOptions {
  std::vector<std::string> specs;  ///< files, directories, http(s) URLs; earlier ones win
  std::string token_file;          ///< of the bearer token for URLs; read before every request
  std::string token;               ///< from the environment; used when there is no file
};

/// How they are read.
struct SpecReaders {
  tools::loaders::ReadSpecs files;
  tools::loaders::ReadSpecs urls;
};

/// All files as one source, each URL as one. Errors: kInvalidRequest.
Result<std::vector<std::unique_ptr<tools::loaders::SpecSource>>> make_spec_sources(
    const SpecSourceOptions& options, const SpecReaders& read);

}  // namespace toolway::cli::process
