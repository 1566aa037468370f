#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"

namespace toolway::chat::engine {

/// Whether a model can be told to use this tool. `definitions`: the session's tools, in the form of
/// any API. Errors: kInvalidArguments, with the names that may be meant.
Result<void> check_tool_choice(const std::string& choice, const OrderedJson& definitions);

}  // namespace toolway::chat::engine
