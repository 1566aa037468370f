#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace toolway {

/// The reader's own words, without its exception number and type; UTF-8, whatever the text was that
/// they quote.
std::string json_error_text(const nlohmann::detail::exception& error);

/// Says where a NUL stands that is not part of JSON; the reader takes it for the end of the text.
std::string nul_error_text(std::size_t offset);

}  // namespace toolway
