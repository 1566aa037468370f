#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace toolway::cli::client {

/// ARGUMENTS that are not pairs: one JSON object, `@FILE`, or `-` for standard input, which is read
/// to its end. Errors: kMalformedJson, kInvalidRequest (a file that cannot be read, more than one
/// word).
Result<OrderedJson> arguments_of_words(const std::vector<std::string>& words);

}  // namespace toolway::cli::client
