#pragma once

#include <optional>
#include <string_view>

#include "base/mistake.h"
#include "tools/specs/located.h"

namespace toolway::tools::specs {

/// What a text says: JSON when it begins with `{"` or `{}`, YAML otherwise. Nothing: it says
/// nothing, or is not text, too large, or cannot be read to its end, and then a mistake says why.
/// Never throws.
std::optional<Located> read_tree(std::string_view text, Mistakes& mistakes);

/// The two front ends. Nothing: there is no value in the text, or none that can be read
/// to its end, and then a mistake says why. A key that appears twice is a mistake, and the
/// tree has the first. Neither throws.
std::optional<Located> json_tree(std::string_view text, Mistakes& mistakes);
/// Scalars get their types by the YAML 1.2 core schema.
std::optional<Located> yaml_tree(std::string_view text, Mistakes& mistakes);

}  // namespace toolway::tools::specs
