#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "extensions/chain/extension_types.h"

namespace toolway::extensions::chain {

/// One thing that a chain has to say about a caller's calls of a tool.
struct Effect {
  std::string_view extension;
  Priority priority = Priority::kNormal;
  std::string rule;  ///< empty: no rule, but roles or the lack of them
  int line = 0;      ///< of the rule
  std::string says;
};

/// What the chain says about calls of a tool, in its order, whatever their arguments. Pure.
std::vector<Effect> effects(const PolicyPtr& policy, const tools::model::Spec& spec,
                            const Principal& caller,
                            std::span<const ExtensionType> types = extension_types());

}  // namespace toolway::extensions::chain
