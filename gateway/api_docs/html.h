#pragma once

#include <string>
#include <string_view>

namespace toolway::gateway::api_docs {

/// Text for an element or a quoted attribute.
std::string escaped(std::string_view text);

/// The same with `words in backquotes` as code.
std::string prose(std::string_view text);

}  // namespace toolway::gateway::api_docs
