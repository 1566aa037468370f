#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace toolway {

/// The reader's own words, without its exception number and type; UTF-8, whatever the text
/// they quote was.
std::string json_error_text(const nlohmann::detail::exception& error);

/// Reports a NUL that is not part of JSON, with its offset; the reader would take it for the end of
/// the text.
std::string nul_error_text(std::size_t offset);

}  // namespace toolway
