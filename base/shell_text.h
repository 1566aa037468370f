#pragma once

#include <string>
#include <string_view>

namespace toolway {

/// In single quotes of a shell, which takes nothing in them for anything else.
std::string shell_quoted(std::string_view text);

}  // namespace toolway
