#pragma once

#include <string>
#include <string_view>

namespace toolway::tools {

/// RFC 4648 §4, with padding, on one line.
std::string base64(std::string_view bytes);

}  // namespace toolway::tools
