#pragma once

#include <cstddef>
#include <string>

namespace toolway::cli::terminal {

/// `text` in lines of at most `width` characters, each after `indent` blanks except the first.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace toolway::cli::terminal
