#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace toolway {

/// The longest token that is taken.
inline constexpr std::size_t kMaxTokenBytes = 16UL * 1024;

/// A token as a header can hold it; white space around it does not count. Errors: kInvalidRequest,
/// without the token. `source` names the file or variable.
Result<std::string> checked_token(std::string_view text, std::string_view source);

}  // namespace toolway
