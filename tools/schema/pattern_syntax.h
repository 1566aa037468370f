#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace toolway::tools::schema {

/// What a schema's `pattern` means (ECMA-262 with the flag `u`, JSON Schema core §6.4), in the
/// syntax of RE2. Error: why it cannot be expressed there: a backreference, a look-ahead or
/// look-behind, an escape that ECMA-262 does not have. Pure; what the result's repetitions and
/// names of character classes are worth, RE2 itself decides.
tl::expected<std::string, std::string> to_re2_syntax(std::string_view pattern);

}  // namespace toolway::tools::schema
