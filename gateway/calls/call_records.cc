#include "gateway/calls/call_records.h"

#include "base/log.h"
#include "extensions/redaction/mask.h"
#include "proto/approvals.h"
#include "proto/audit.h"
#include "proto/log_fields.h"

namespace toolway::gateway::calls {
namespace {

using spdlog::level::level_enum;

extensions::redaction::Mask mask_of(const extensions::chain::PolicyBoard& policies) {
  const auto policy = policies.in_force();
  return {policy ? policy->policy : nullptr, {}, {}};
}

void add_refusal(const extensions::chain::PolicyBoard& policies, const Error& refusal,
                 OrderedJson& fields) {
  fields["code"] = code_name(refusal.code);
  fields["message"] = mask_of(policies).text(refusal.message);
}

OrderedJson reasons_of(const v1::Admission& admission) {
  OrderedJson reasons = OrderedJson::array();
  for (const auto& reason : admission.reasons())
    reasons.push_back({{"extension", reason.extension()}, {"because", reason.because()}});
  return reasons;
}

bool wants_all(const extensions::chain::PolicyBoard& policies) {
  const auto policy = policies.in_force();
  return policy && policy->policy->log.all_calls;
}

}  // namespace

void record_refused(const extensions::chain::PolicyBoard& policies,
                    const wire::RoutedRequest& routed, const sessions::Session& session,
                    std::string_view tool, const Error& refusal) {
  if (!logs_records()) return;
  OrderedJson fields{{"tenant", session.record.tenant_id()},
                     {"user", session.record.user_id()},
                     {"session_id", session.record.session_id()},
                     {"tool", mask_of(policies).text(std::string(tool))},
                     {"request_id", routed.request.request_id}};
  if (routed.request.trace.valid()) fields["trace_id"] = routed.request.trace.trace_id_hex();
  add_refusal(policies, refusal, fields);
  log_record(level_enum::warn, "call_refused", fields);
}

void record_run(const extensions::chain::PolicyBoard& policies, const CallEntry& entry) {
  if (!logs_records() || entry.replayed || !entry.plan) return;
  const auto& call = entry.plan->request;
  auto fields = proto::log_fields(call);
  if (entry.refused) {
    add_refusal(policies, entry.refused->error, fields);
    return log_record(level_enum::warn, "call_refused", fields);
  }
  const bool held = proto::waits_for_approval(call);
  if (!held && !wants_all(policies)) return;
  if (!call.admission().empty()) {
    const auto admission = proto::admission_of(call.admission());
    fields["policy"] = admission.policy();
    fields["reasons"] = reasons_of(admission);
  }
  if (held) fields["held_by"] = call.hold().because();
  log_record(level_enum::info, held ? "call_held" : "call_accepted", fields);
}

void record_decided(const v1::CallRequest& call, const v1::Vote& vote, std::string_view state) {
  if (!logs_records()) return;
  auto fields = proto::log_fields(call);
  fields["decided_by"] = vote.user_id();
  fields["method"] = vote.method();
  fields["approves"] = vote.approve();
  fields["state"] = state;
  log_record(level_enum::info, "call_decided", fields);
}

}  // namespace toolway::gateway::calls
