#pragma once

#include <string>
#include <vector>

#include "cli/client/verbs.h"

/// `toolway specs …`. Each prints, and returns the exit status.
namespace toolway::cli {

struct SpecsOptions {
  std::string postgres_url;      ///< from the environment; a secret
  std::string postgres_file;     ///< file that holds it
  std::string data;              ///< of a running `toolway dev`; empty: .toolway, if that is one
  std::vector<std::string> files;  ///< of check and put: files and directories
  std::vector<std::string> names;  ///< of remove
  Output output = Output::kTable;
};

int check_specs(const SpecsOptions& options);
int put_specs(const SpecsOptions& options);
int list_specs(const SpecsOptions& options);
int remove_specs(const SpecsOptions& options);

}  // namespace toolway::cli
