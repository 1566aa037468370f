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
  std::string module;              ///< of from-python
  std::string ns = "default";      ///< of the specs that from-python writes
  std::string python = "python3";  ///< interpreter that tells of python functions
  std::vector<std::string> python_path{"."};
  Output output = Output::kTable;
};

int check_specs(const SpecsOptions& options);
int put_specs(const SpecsOptions& options);
int list_specs(const SpecsOptions& options);
int remove_specs(const SpecsOptions& options);
/// Writes the specs of a module's functions, as YAML or JSON.
int specs_from_python(const SpecsOptions& options);

}  // namespace toolway::cli
