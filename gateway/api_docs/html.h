#pragma once

#include <string>
#include <string_view>

namespace toolway::gateway::api_docs {

/// Escaped text with `words in backquotes` as code.
std::string prose(std::string_view text);

}  // namespace toolway::gateway::api_docs
