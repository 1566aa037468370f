#pragma once

#include <string_view>

namespace toolway {

/// What `valid_session_id` accepts, and `.` and `..`, which sessions of earlier versions may have.
bool may_be_stored_session_id(std::string_view text);

}  // namespace toolway
