#pragma once

#include <optional>

#include "base/error.h"
#include "extensions/chain/judge.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::workers::call {

/// Why the tool of a call is not started, by what the chain says; nothing: it may be. A call that
/// the chain holds and that was published as any other was never approved. Whether one that was
/// held may run, its log says.
std::optional<Error> refused(const v1::CallRequest& request,
                             const extensions::chain::Verdict& verdict);

/// Its log does not show that it was approved as it is.
Error approval_missing();

}  // namespace toolway::workers::call
