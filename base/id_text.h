#pragma once

#include <string_view>

/// Whether a text is an id: what `parse` of ids.h accepts, for those that need
/// no copy of it.
namespace toolway {

bool is_call_id(std::string_view text);
bool is_session_key(std::string_view text);

}  // namespace toolway
