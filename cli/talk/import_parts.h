#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace toolway::cli::talk {

/// A conversation as `export` writes it, in any of its formats, in parts of about `most` bytes, to
/// be imported one after another. A part begins with a message of the user, so that calls and their
/// results are in the same one: such a stretch may be larger than `most`. One that is small enough
/// stays byte for byte. What is wrong with the messages is for the importer to say. Pure. Errors:
/// kMalformedJson.
Result<std::vector<std::string>> import_parts(std::string_view text, std::size_t most);

}  // namespace toolway::cli::talk
