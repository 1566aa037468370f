#include "workers/call/attempt_record.h"

#include "proto/codec.h"
#include "proto/log_fields.h"

namespace toolway::workers::call {
std::optional<AttemptRecord> attempt_record(const extensions::LogRules& rules,
                                            const v1::CallRequest& call, const AttemptEnd& end,
                                            unsigned attempt,
                                            std::optional<std::chrono::nanoseconds> ran) {
  const bool refused = end.outcome == v1::OUTCOME_REJECTED;
  const bool slow = ran && *ran > rules.slow;
  if (!refused && !slow && !rules.all_calls) return std::nullopt;
  AttemptRecord record{.severity = refused || slow ? AttemptRecord::Severity::kWarning
                                                   : AttemptRecord::Severity::kInfo,
                       .event = refused ? "call_refused"
                                : slow  ? "call_slow"
                                        : "call_ended",
                       .fields = proto::log_fields(call)};
  record.fields["attempt"] = attempt;
  record.fields["outcome"] = proto::outcome_name(end.outcome);
  if (!end.error_code.empty()) record.fields["code"] = end.error_code;
  if (end.next == AttemptEnd::Next::kRetry) record.fields["retried"] = true;
  if (ran) record.fields["run_ms"] = std::chrono::duration<double, std::milli>(*ran).count();
  return record;
}

}  // namespace toolway::workers::call
