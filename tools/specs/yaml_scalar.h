#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/json.h"

namespace toolway::tools::specs {

/// What a scalar of YAML is in JSON, by the core schema of YAML 1.2.2 (section 10.3.2). `tag`
/// as yaml-cpp gives it: "?" for a plain scalar, "!" for a quoted or block one, or what the
/// text says. Errors: why it is nothing in JSON.
tl::expected<OrderedJson, std::string> yaml_scalar(std::string_view tag, const std::string& text);

}  // namespace toolway::tools::specs
