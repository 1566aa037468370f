#pragma once

#include <optional>
#include <span>

#include "extensions/extension_type.h"

namespace toolway::extensions::reader {

/// Reads the rules of a policy one by one. Pure; one thread.
class RuleReader {
 public:
  /// `roles`: those that the policy has; null: it has no roles, and a rule may name any.
  RuleReader(std::span<const ExtensionType> types, const Policy& policy, Mistakes& mistakes)
      : types_(types), policy_(policy), mistakes_(mistakes) {}

  /// Nothing: it has a mistake.
  std::optional<Rule> read(const tools::specs::Located& entry, int line);

 private:
  void read_conditions(tools::specs::Fields& fields, Conditions& conditions);
  void read_actions(tools::specs::Fields& fields, Rule& rule);

  const std::span<const ExtensionType> types_;
  const Policy& policy_;
  Mistakes& mistakes_;
};

/// A text, or a list of texts. Nothing: neither (reported), or not there. An empty list is a
/// mistake: it would match nothing, or everything.
std::vector<std::string> read_texts(tools::specs::Fields& fields, std::string_view name,
                                    Mistakes& mistakes);

/// Reports what names a role that the policy does not have, with the nearest that it has.
void check_roles(const std::vector<std::string>& named, int line, const Policy& policy,
                 Mistakes& mistakes);

/// A name of a role or rule: [A-Za-z0-9_-]{1,64}; otherwise it is reported.
bool check_name(std::string_view name, std::string_view of, int line, Mistakes& mistakes);

}  // namespace toolway::extensions::reader
