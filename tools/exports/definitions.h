#pragma once

#include <span>
#include <string>

#include "base/json.h"
#include "tools/exports/format.h"
#include "tools/model/registry.h"

namespace toolway::tools::exports {

/// One tool as `format` has it in its list of tools. `api_name`: see ApiNames; formats
/// except `toolway` use that name. Never holds how or where the tool runs.
OrderedJson definition(const model::Spec& spec, Format format, const std::string& api_name);

/// Whether that has the tool's output schema.
bool shows_output_schema(const model::Spec& spec, Format format);

/// The tools of `namespaces`, sorted by qualified name: an array that goes into a
/// request's `tools` as it is.
OrderedJson definitions(const model::Registry& registry, Format format,
                        std::span<const std::string> namespaces);
/// Every tool.
OrderedJson definitions(const model::Registry& registry, Format format);

}  // namespace toolway::tools::exports
