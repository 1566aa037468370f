#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extensions/extension.h"
#include "extensions/on_failure.h"
#include "tools/schema/pattern.h"

namespace toolway::extensions {

inline constexpr std::chrono::milliseconds kUsualTime{1000};
inline constexpr std::chrono::milliseconds kLongestTime{10'000};

/// Which calls processes with `--log-format json` write a line about.
struct LogRules {
  bool all_calls = false;                                    ///< besides those that are refused …
  std::chrono::milliseconds slow{std::chrono::seconds(10)};  ///< runs that take longer are slow
};

/// What an extensions.yaml says (docs/extensions.md). Immutable once it is shared.
struct Policy {
  /// Permissions by role. Nothing: none are needed, and every user may call everything.
  std::optional<std::map<std::string, std::vector<std::string>, std::less<>>> roles{};
  /// Roles of users whose credential names none, by tenant and user.
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> users{};
  /// Of everyone else.
  std::vector<std::string> default_roles{};
  /// Globs of the namespaces that a tenant is limited to; one that is not there is not limited.
  std::map<std::string, std::vector<std::string>, std::less<>> tenants{};
  std::vector<Rule> rules{};
  /// By extension; closed when it is not there.
  std::map<std::string, OnFailure, std::less<>> on_failure{};
  /// How long an extension may take for one call; kUsualTime when it is not there.
  std::map<std::string, std::chrono::milliseconds, std::less<>> time_limits{};
  /// What reads `[secret]` wherever readers see it.
  std::vector<std::shared_ptr<const tools::schema::Pattern>> patterns{};
  LogRules log{};
  std::string digest{};  ///< SHA-256 of its text, hex
};
using PolicyPtr = std::shared_ptr<const Policy>;

OnFailure on_failure_of(const Policy& policy, std::string_view extension);

/// The caller's roles: of the credential if that names any, otherwise those that the policy gives
/// the user, otherwise its default roles.
const std::vector<std::string>& roles_of(const Policy& policy, const Principal& caller);

/// Whether a tool's spec and a caller are what the conditions say, apart from arguments.
bool concerns(const Conditions& conditions, const tools::model::Spec& spec, const Principal& caller,
              const std::vector<std::string>& roles);

/// The rules about a call, in order. `arguments`: null while they are not looked at.
std::vector<const Rule*> rules_about(const Policy& policy, const tools::model::Spec& spec,
                                     const Principal& caller, const Json* arguments);

/// Whether any rule about such a call looks at its arguments: that takes time by their size.
bool looks_at_arguments(const Policy& policy, const tools::model::Spec& spec,
                        const Principal& caller);

}  // namespace toolway::extensions
