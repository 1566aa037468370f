#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tools/specs/named_content.h"

namespace toolway::tools::loaders {

using specs::FileStamp;

/// Of what is there now.
FileStamp stamp_of(const std::string& path);

/// The spec files that `path` means: itself, or, of a directory, its *.yaml,
/// *.yml and *.json, sorted by name; not those that begin with a dot, nor those
/// of directories in it. Errors: kNotFound, also for a directory that cannot be read.
Result<std::vector<std::string>> list_spec_files(const std::filesystem::path& path);

/// The largest file that a resource may name.
inline constexpr std::size_t kMaxContentBytes = 4 * 1024 * 1024;
/// What a resource of the spec file `spec_file` names: a regular file in that file's directory or
/// below, also after symbolic links. Errors of its bytes: kNotFound, kPayloadTooLarge,
/// kInvalidRequest (it leads elsewhere), each the end of a sentence about the file.
specs::NamedContent read_named_content(std::string_view spec_file, std::string_view named);

/// The text of a spec file. Errors: kNotFound (cannot be read, not a regular file),
/// kPayloadTooLarge.
Result<std::string> read_spec_file(const std::string& path);

}  // namespace toolway::tools::loaders
