#pragma once

#include <string>
#include <vector>

#include "cli/client/verbs.h"
#include "tools/specs/reader.h"

/// `toolway mock …`. Each prints, and returns the exit status.
namespace toolway::cli::mock {

/// Whether `specs` are all the tools that there will be: a database and MCP servers may have more.
enum class SpecsGiven { kAll, kSome };

struct MockCheckOptions {
  std::vector<std::string> files;  ///< scripts and recordings
  std::vector<std::string> specs;  ///< files and directories of the tools' specs
  SpecsGiven given = SpecsGiven::kAll;
  std::string python = "python3";  ///< interpreter that describes python functions
  std::vector<std::string> python_path{"."};
  terminal::View view;
};

/// Every mistake in the files, those against the specs of the tools among them.
int check_mocks(const MockCheckOptions& options);

/// The same mistakes, for those who start workers with these files. Specs that are not in files,
/// and specs that are wrong themselves, are not looked at.
std::vector<toolway::Mistake> mock_mistakes(const MockCheckOptions& options);

}  // namespace toolway::cli::mock
