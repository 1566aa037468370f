#pragma once

#include <string>

#include "base/json.h"

namespace toolway::tools::specs {

/// A document as YAML, block style, as a person would write it. `read_specs` reads the
/// same document from it.
std::string yaml_text(const OrderedJson& document);

}  // namespace toolway::tools::specs
