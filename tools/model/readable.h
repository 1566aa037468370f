#pragma once

#include <string>

namespace toolway::tools::model {

/// `text` with every byte that is not UTF-8 replaced by U+FFFD: file names and
/// messages of libraries may be anything, and what travels is UTF-8.
std::string readable(std::string text);

}  // namespace toolway::tools::model
