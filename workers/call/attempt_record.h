#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "extensions/policy.h"
#include "proto/toolway/v1/call.pb.h"
#include "workers/call/step.h"

namespace toolway::workers::call {

/// A line of a worker's log about an attempt that has ended.
struct AttemptRecord {
  enum class Severity { kInfo, kWarning };
  Severity severity = Severity::kInfo;
  std::string_view event;
  OrderedJson fields;
};

/// Nothing: the rules ask for none about such an attempt. `ran`: nothing: its tool was not started.
/// Pure.
std::optional<AttemptRecord> attempt_record(const extensions::LogRules& rules,
                                            const v1::CallRequest& call, const AttemptEnd& end,
                                            unsigned attempt,
                                            std::optional<std::chrono::nanoseconds> ran);

}  // namespace toolway::workers::call
