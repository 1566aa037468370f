#pragma once

#include "extensions/extension_type.h"

namespace toolway::extensions::builtin {

/// Limits the calls of the whole fleet. It says which limits are about a call: gateways take the
/// tokens of rates and count what waits before they accept it, workers take permits for what runs.
ExtensionType limits_type();

/// The limits on running calls that are about such a call, in the order of their rules. They do not
/// look at arguments, so that a worker knows them before it has looked at any.
bool has_running_limits(const Policy& policy);
std::vector<Limit> running_limits(const Policy& policy, const tools::model::Spec& spec,
                                  const Principal& caller);

/// All limits that are about a call, whatever they limit. `arguments`: null: those of rules after
/// the first that looks at them may be missing.
std::vector<Limit> limits_about(const Policy& policy, const tools::model::Spec& spec,
                                const Principal& caller, const Json* arguments);

/// "5/s", "100/min" or "20/h": the time between two. Nothing: it is none of these, or none at all.
std::optional<std::chrono::nanoseconds> parse_rate(std::string_view text);

}  // namespace toolway::extensions::builtin
