#pragma once

#include <string>
#include <vector>

#include "tests/chaos/options.h"

namespace toolway::chaos {

/// Agents share these among them.
std::string agents_user(const Options& options, unsigned agent);
/// Each client with an operator's keys is a user of its own.
std::string key_holders_user(unsigned number);

// Who decides about held calls.
inline constexpr const char* kApprovers[]{"approver0", "approver1"};
inline constexpr const char* kLateApprover = "late_approver";

/// All that the clients of a run call themselves.
std::vector<std::string> users_of(const Options& options);

}  // namespace toolway::chaos
