#pragma once

#include <string>
#include <vector>

#include "tests/chaos/mcp_history.h"

namespace toolway::chaos {

/// The events of one call, in the order of its log.
using CallLog = std::vector<const EventSeen*>;

/// What a stretch has that its call's log has not, or the other way round, in words; empty:
/// nothing. `from`: the first event of the log that it may show. `shown`: the progress that its
/// stream has shown before; it grows. Pure.
std::string mismatch(const RpcStretch& stretch, const CallLog& log, std::size_t from,
                     double& shown);

/// The same for a stretch that may begin after any question.
std::string mismatch_anywhere(const RpcStretch& stretch, const CallLog& log);

}  // namespace toolway::chaos
