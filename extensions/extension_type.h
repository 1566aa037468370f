#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/mistake.h"
#include "extensions/policy.h"
#include "tools/specs/fields.h"

namespace toolway::extensions {

/// The order of a chain: `before` runs from the highest to the lowest, `after` the other way round;
/// among equals, in the order of `chain::extension_types()`.
enum class Priority { kHighest, kHigh, kNormal, kLow };

/// `highest`, `high`, `normal`, `low`
std::string_view priority_name(Priority priority);

/// An extension as a build knows it (docs/extensions.md shows how to add one).
struct ExtensionType {
  std::string_view name;  ///< of static storage
  Priority priority = Priority::kNormal;
  /// The fields of rules that are its actions; one that is in no extension's list is a mistake.
  std::vector<std::string_view> actions{};
  /// Reads one of these fields. Null, and at least one mistake: it is wrong. Pure.
  ActionPtr (*read)(const tools::specs::NamedMember& field, Mistakes& mistakes) = nullptr;
  /// Makes it for a policy. Null: the policy asks nothing of it.
  ExtensionPtr (*make)(const PolicyPtr& policy) = nullptr;
};

/// Whether any rule asks for one of these actions.
bool asks_for(const Policy& policy, std::span<const std::string_view> actions);

}  // namespace toolway::extensions
