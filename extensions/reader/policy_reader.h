#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/mistake.h"
#include "extensions/extension_type.h"

namespace toolway::extensions::reader {

/// The longest text of a policy, in bytes: it travels in one message.
inline constexpr std::size_t kMaxPolicyBytes = 512 * 1024;

/// What a text says. With any mistake, `policy` is null.
struct PolicyDocument {
  PolicyPtr policy;
  std::vector<Mistake> mistakes;  ///< by line
};

/// Reads an extensions.yaml (docs/extensions.md), YAML or JSON. `origin` is what mistakes name.
/// Pure; never throws.
PolicyDocument read_policy(std::string_view text, std::string_view origin,
                           std::span<const ExtensionType> types);

}  // namespace toolway::extensions::reader
