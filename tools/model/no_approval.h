#pragma once

#include <string_view>

namespace toolway::tools::model {

/// Why a spec that asks for approval is refused: nothing holds a call until a person has approved
/// it, and without that the tool would run at once.
inline constexpr std::string_view kNoApproval =
    "`requires_approval: true` is not supported: calls cannot be held for approval yet, and the tool would run at "
    "once; leave it out, or switch the tool off (`toolway tools disable`) until a person has decided";

}  // namespace toolway::tools::model
