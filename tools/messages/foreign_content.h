#pragma once

#include <string>

#include "base/json.h"
#include "base/mistake.h"

namespace toolway::tools::messages {

/// Whether a content may be absent, or null: then it says nothing.
enum class NoContent { kAllowed, kMistake };

/// Tells of what APIs take for no content, and what would be lost for that: one that is neither a
/// text nor a list, and parts without their text. `content`: null if there is none. Pure.
void check_content(const OrderedJson* content, NoContent none, Mistakes& mistakes,
                   const std::string& place);

}  // namespace toolway::tools::messages
