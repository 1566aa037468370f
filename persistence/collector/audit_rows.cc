#include "persistence/collector/audit_rows.h"

#include <utility>

#include "base/json.h"
#include "persistence/collector/copy_encoder.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/qualified_name.h"

namespace toolway::persistence::collector {
namespace {

/// What is told of the admission; null: nothing was decided.
OrderedJson admission_json(const v1::Admission& admission) {
  if (admission.policy() == 0) return nullptr;
  OrderedJson reasons = OrderedJson::array();
  for (const auto& reason : admission.reasons())
    reasons.push_back({{"extension", reason.extension()}, {"because", reason.because()}});
  return {{"policy", admission.policy()},
          {"reasons", std::move(reasons)},
          {"arguments", admission.arguments_digest()}};
}

OrderedJson hold_json(const v1::CallRequest& held) {
  const auto& hold = held.hold();
  OrderedJson json{{"because", hold.because()}, {"roles", OrderedJson::array()}};
  for (const auto& role : hold.roles()) json["roles"].push_back(role);
  json["quorum"] = hold.quorum();
  json["expires_at_us"] = hold.expires_at_us();
  json["requester_may_decide"] = hold.requester_may_decide();
  if (auto admission = admission_json(held.admission()); !admission.is_null())
    json["admission"] = std::move(admission);
  return json;
}

}  // namespace

template <typename Message>
void AuditRowOf::name_call(const Message& message) {
  row_.id = message.call_id();
  row_.tenant_id = message.tenant_id();
  row_.user_id = message.user_id();
  row_.session_id = message.session_id();
  row_.object = keep(proto::qualified_name(message.labels()));
}

AuditRowOf::AuditRowOf(const v1::AuditRecord& record) {
  row_ = {.at_us = record.at_us(),
          .what = record.what(),
          .id = record.id(),
          .tenant_id = record.tenant_id(),
          .user_id = record.user_id(),
          .method = record.method(),
          .key_id = record.key_id(),
          .session_id = {},
          .object = record.object(),
          .outcome = {},
          .code = record.code(),
          .details = {}};
  if (!record.details().empty()) row_.details = record.details();
  make_storable();
}

AuditRowOf::AuditRowOf(const v1::CallRequest& held) {
  name_call(held);
  row_.what = "call_held";
  row_.at_us = held.submitted_at_us();
  row_.method = held.principal().method();
  row_.key_id = held.principal().key_id();
  set_details(to_text(hold_json(held)));
  make_storable();
}

AuditRowOf::AuditRowOf(const v1::CallEvent& event) {
  name_call(event);
  row_.at_us = event.time_us();
  row_.seq = event.seq();
  if (event.has_approval_decided()) {
    row_.what = "call_decided";
    const auto& decided = event.approval_decided();
    OrderedJson details{{"digest", decided.digest()},
                        {"quorum", decided.hold().quorum()},
                        {"approvals", proto::approvals_of(decided)}};
    if (const auto* vote = proto::newest_vote(event)) {
      row_.user_id = vote->user_id();
      row_.method = vote->method();
      row_.key_id = vote->key_id();
      row_.outcome = vote->approve() ? "approved" : "denied";
      if (!vote->reason().empty()) details["reason"] = vote->reason();
    }
    set_details(to_text(details));
  } else {
    row_.what = "call_ended";
    const auto& completed = event.completed();
    row_.outcome = proto::outcome_name(completed.outcome());
    row_.code = completed.error().code();
    row_.method = event.admission().method();
    row_.key_id = event.admission().key_id();
    if (const auto details = admission_json(event.admission()); !details.is_null())
      set_details(to_text(details));
  }
  make_storable();
}

std::string_view AuditRowOf::keep(std::string text) {
  kept_.push_back(std::move(text));
  return kept_.back();
}

void AuditRowOf::set_details(std::string json) { row_.details = keep(std::move(json)); }

void AuditRowOf::make_storable() {
  if (row_.tenant_id.empty()) row_.tenant_id = "default";
  for (auto* text : row_.texts())
    if (text->find('\0') != std::string_view::npos) *text = keep(storable_text(*text));
}

}  // namespace toolway::persistence::collector
