#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "extensions/service.h"
#include "proto/toolway/v1/call.pb.h"
#include "tools/model/spec.h"
#include "tools/model/tool.h"

namespace toolway::extensions::services {

enum class Phase { kBefore, kAfter };
/// `before`, `after`
std::string_view phase_name(Phase phase);

/// What a service is told about a call. What is referred to lasts as long as the question.
struct Question {
  Phase phase = Phase::kBefore;
  std::string_view rule;
  const v1::CallRequest& call;  ///< its arguments are shown without what `secret_places` names
  const tools::model::Spec& spec;
  std::span<const std::string> roles;               ///< of the caller, under the policy
  const tools::model::Execution* result = nullptr;  ///< after: as readers will be shown it
  unsigned attempt = 0;                             ///< after
};

/// The same for every time that it is asked: `msg_<call>_before`.
std::string question_id(const Question& question);
/// The body of the request, JSON. Toolway's is `{type, timestamp, data}`, OPA's `{input}`.
std::string question_text(const Question& question, Service::Format format, WallTime now);

}  // namespace toolway::extensions::services
