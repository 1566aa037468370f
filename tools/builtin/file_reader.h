#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/builtin/root_directory.h"

namespace toolway::tools::builtin {

/// Up to `count` bytes from `offset`; fewer at the end of the file. Errors: kInternal.
Result<std::string> read_at(const Descriptor& file, std::int64_t offset, std::size_t count);

/// Size in bytes, as it is now.
std::int64_t size_of(const Descriptor& file);

/// A NUL among the first 8 KB: no text that a line search or a model could use.
bool looks_binary(std::string_view bytes);

}  // namespace toolway::tools::builtin
