#pragma once

#include <initializer_list>
#include <string>

#include "tools/executors/kind_types.h"
#include "tools/loaders/spec_source.h"

namespace toolway::tools::loaders {

/// A document with python tools of these names, all with that description.
inline std::string document(std::initializer_list<std::string> names,
                            const std::string& description = "first") {
  std::string text = "tools:\n";
  for (const auto& name : names) {
    text +=
        "  - {name: " + name + ", namespace: t, kind: python, description: " + description +
        ", input_schema: {type: object}, implementation_config: {module: m, function_name: f}}\n";
  }
  return text;
}

inline specs::SpecDocument read_any(std::string_view text, std::string_view origin) {
  return specs::read_specs(text, origin, {.kinds = executors::kind_types()});
}

/// `a=first b=second`: the specs of a state, in order of precedence.
inline std::string shown(const SourceState& state) {
  std::string text;
  for (const auto& part : state.parts) {
    for (const auto& offered : part->specs) {
      text += (text.empty() ? "" : " ") + offered.spec->name + "=" + offered.spec->description;
    }
  }
  return text;
}

}  // namespace toolway::tools::loaders
