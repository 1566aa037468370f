#pragma once

#include <string>
#include <string_view>

namespace toolway {

/// Text for an element or a quoted attribute of HTML, XML or SVG.
std::string escape_markup(std::string_view text);

}  // namespace toolway
