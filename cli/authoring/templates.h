#pragma once

#include <string>
#include <vector>

namespace toolway::cli::authoring {

/// A file of a new tool: `<kind>/<path>`, where NAME and IDENTIFIER stand for the tool's own.
struct ToolTemplate {
  std::string path;
  std::string text;
};

/// Those of cli/authoring/templates, sorted by path; made by templates.cmake.
const std::vector<ToolTemplate>& tool_templates();

}  // namespace toolway::cli::authoring
