#include "gateway/calls/approval_json.h"

#include "gateway/wire/event_json.h"
#include "gateway/wire/json_text.h"
#include "proto/approvals.h"
#include "proto/qualified_name.h"
#include "tools/schema/secret_places.h"

namespace toolway::gateway::calls {
namespace {

void write_votes(wire::ObjectText& object, std::string& out, const v1::ApprovalDecided& decided) {
  object.begin("approvals");
  wire::write_list(out, decided.votes(), [](std::string& text, const v1::Vote& vote) {
    wire::ObjectText entry(text);
    entry.text("by", vote.user_id());
    entry.time_us("at", vote.at_us());
    entry.text_or_null("reason", vote.reason());
    entry.end();
  });
}

std::string arguments_text(const v1::CallRequest& request) {
  const auto& secret = request.secret_places();
  if (secret.empty()) return request.arguments();
  return tools::schema::hidden_text(request.arguments(), {secret.begin(), secret.end()});
}

}  // namespace

bool is_as_said(const persistence::store::HeldCall& held) {
  if (held.state != proto::held_state::kWaiting) return true;
  const auto& call = held.call;
  return proto::waits_for_approval(call.request) &&
         (!call.last || proto::approval_state(*call.last) == proto::ApprovalState::kWaiting);
}

void write_approval(std::string& out, const persistence::store::HeldCall& held) {
  const auto& request = held.call.request;
  const auto& last = held.call.last;
  wire::ObjectText object(out);
  object.text("call_id", request.call_id());
  object.text("tool", proto::qualified_name(request.labels()));
  object.text("user_id", request.user_id());
  object.text("session_id", request.session_id());
  object.text("spec_digest", request.spec_digest());
  object.time_us("requested_at", request.submitted_at_us());
  wire::write_hold(object, out, request.hold());
  write_votes(object, out, last ? last->approval_decided() : v1::ApprovalDecided());
  object.text("state", held.state);
  object.time_us("decided_at", held.decided_at ? to_unix_us(*held.decided_at) : 0);
  object.json("arguments", arguments_text(request));
  object.end();
}

}  // namespace toolway::gateway::calls
