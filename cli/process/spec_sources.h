#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/loaders/spec_source.h"
#include "tools/specs/offers.h"

namespace toolway::cli::process {

/// Where a gateway's specs come from, as its command line and environment say.
struct SpecSourceOptions {
  std::vector<std::string> specs;  ///< files, directories, http(s) URLs; earlier ones win
  std::string token_file;          ///< of the bearer token for URLs; read before every request
  std::string token;               ///< from the environment; used when there is no file
};

bool is_url(const std::string& spec);

/// All files as one source, each URL as one. Errors: kInvalidRequest.
Result<std::vector<std::unique_ptr<tools::loaders::SpecSource>>> make_spec_sources(
    const SpecSourceOptions& options, const tools::loaders::ReadSpecs& read);

/// The prompts and resources that files and directories of `specs` have; of two with one name, the
/// one of the earlier file. What cannot be read is left out: the sources tell of it.
tools::specs::Offers offers_of_files(const std::vector<std::string>& specs);

}  // namespace toolway::cli::process
