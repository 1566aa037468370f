#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/exports/format.h"

namespace toolway::cli::talk {

/// The format that `/export [FORMAT]` names; none named: Toolway's own. Errors: kInvalidRequest,
/// for who types.
Result<tools::exports::Format> asked_export(std::string_view words);

/// What `/import FILE [FORMAT]` asks for.
struct AskedImport {
  std::string path;  ///< may have blanks; empty: none is named
  tools::exports::Format format = tools::exports::Format::kToolway;
};
AskedImport asked_import(std::string_view words);

/// The file's text. Errors, for who types: kInvalidRequest (none is named), kNotFound.
Result<std::string> read_import(const AskedImport& asked);

}  // namespace toolway::cli::talk
