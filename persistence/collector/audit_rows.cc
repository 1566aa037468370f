#include "persistence/collector/audit_rows.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "persistence/collector/copy_encoder.h"
#include "proto/approvals.h"
#include "proto/audit.h"
#include "proto/codec.h"
#include "proto/qualified_name.h"

namespace toolway::persistence::collector {
namespace {

/// Of every call, so it is written by hand: most texts need no escapes.
void add_quoted(std::string& to, std::string_view text) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::ranges::all_of(text, is_plain))
    to.append(1, '"').append(text).append(1, '"');
  else
    to += to_text(OrderedJson(text));
}

/// What is told of the admission; empty: nothing was decided.
std::string admission_text(const v1::Admission& admission) {
  std::string json;
  if (admission.policy() == 0) return json;
  json.reserve(256);
  json.append(R"({"policy":)").append(std::to_string(admission.policy())).append(R"(,"reasons":[)");
  for (const auto& reason : admission.reasons()) {
    json += json.back() == '[' ? R"({"extension":)" : R"(,{"extension":)";
    add_quoted(json, reason.extension());
    json += R"(,"because":)";
    add_quoted(json, reason.because());
    json += '}';
  }
  json += R"(],"arguments":)";
  add_quoted(json, proto::arguments_digest(admission));
  return json += '}';
}

std::string hold_text(const v1::CallRequest& held) {
  const auto& hold = held.hold();
  OrderedJson json{{"because", hold.because()}, {"roles", OrderedJson::array()}};
  for (const auto& role : hold.roles()) json["roles"].push_back(role);
  json["quorum"] = hold.quorum();
  json["expires_at_us"] = hold.expires_at_us();
  json["requester_may_decide"] = hold.requester_may_decide();
  auto text = to_text(json);
  if (const auto admission = admission_text(proto::admission_of(held.admission()));
      !admission.empty()) {
    text.back() = ',';
    text.append(R"("admission":)").append(admission).append(1, '}');
  }
  return text;
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
  set_details(hold_text(held));
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
    admission_ = proto::admission_of(event.admission());
    row_.method = admission_.method();
    row_.key_id = admission_.key_id();
    if (auto details = admission_text(admission_); !details.empty())
      set_details(std::move(details));
  }
  make_storable();
}

std::string_view AuditRowOf::keep(std::string text) {
  kept_.push_front(std::move(text));
  return kept_.front();
}

void AuditRowOf::set_details(std::string json) { row_.details = keep(std::move(json)); }

void AuditRowOf::make_storable() {
  if (row_.tenant_id.empty()) row_.tenant_id = "default";
  for (auto* text : row_.texts())
    if (text->find('\0') != std::string_view::npos) *text = keep(storable_text(*text));
}

}  // namespace toolway::persistence::collector
