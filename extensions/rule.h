#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/matching/when.h"

namespace toolway::extensions {

/// What a rule asks of an extension, as that extension has read it. Immutable.
class Action {
 public:
  virtual ~Action() = default;
  /// In words, for `toolway extensions show`: "refuses: not on Fridays".
  virtual std::string text() const = 0;
  /// The roles that it names, which the policy must have.
  virtual std::vector<std::string> roles() const { return {}; }
  /// Why its rule must not have `when`; empty: it may.
  virtual std::string_view cannot_look_at_arguments() const { return {}; }
};
using ActionPtr = std::shared_ptr<const Action>;

/// Which calls a rule is about: all that is said must hold, and of a list one item. An empty list:
/// not said.
struct Conditions {
  std::vector<std::string> namespaces;  ///< globs
  std::vector<std::string> tools;       ///< patterns (tools/matching/tool_pattern.h)
  std::vector<std::string> kinds;
  std::vector<std::string> categories;   ///< globs
  std::vector<std::string> permissions;  ///< globs, of those that the tool's spec names
  std::vector<std::string> roles;        ///< of the caller
  std::vector<std::string> tenants;      ///< of the caller
  std::optional<bool> dangerous;
  std::optional<tools::matching::When> when;  ///< of the arguments
};

/// One rule of a policy. Immutable.
struct Rule {
  std::string name;
  int line = 0;  ///< in the policy's text
  Conditions conditions;
  std::vector<std::pair<std::string, ActionPtr>> actions;  ///< by the field that asks for each

  /// Null: it does not ask for that.
  const Action* action(std::string_view field) const;
};

}  // namespace toolway::extensions
