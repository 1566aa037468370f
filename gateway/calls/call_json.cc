#include "gateway/calls/call_json.h"

#include <algorithm>

#include "gateway/calls/call_states.h"
#include "gateway/wire/event_json.h"
#include "gateway/wire/json_text.h"
#include "proto/approvals.h"
#include "proto/audit.h"
#include "tools/schema/secret_places.h"

namespace toolway::gateway::calls {
namespace {

std::int64_t us_or_zero(const std::optional<WallTime>& time) {
  return time ? to_unix_us(*time) : 0;
}

std::string_view state_of(const persistence::store::RecordedCall& call) {
  if (call.completion) return call_state::kCompleted;
  if (call.held) return call_state::kHeld;
  if (call.retry_at) return call_state::kQueued;
  return call.attempt > 0 || call.started_at ? call_state::kRunning : call_state::kQueued;
}

/// Milliseconds to the microsecond; clocks of two machines may differ.
void write_milliseconds(wire::ObjectText& object, std::string_view key,
                        const std::optional<std::chrono::microseconds>& duration) {
  if (!duration) return object.null(key);
  object.real(key, static_cast<double>(std::max<std::int64_t>(duration->count(), 0)) / 1000);
}

/// What a client is told of a call that was accepted. A model reads it as the call's result.
struct ToldOfAccepted {
  std::string_view status;
  std::string_view message;
};

ToldOfAccepted told_of(const v1::CallRequest& request) {
  if (proto::waits_for_approval(request))
    return {"awaiting_approval",
            "It waits until a person approves it, and then it runs. You will be told when it ends: "
            "do not call it again."};
  if (request.labels().multi_step())
    return {"streaming",
            "Accepted; it is running in the background and reports its progress. You will be told "
            "when it ends: do not call it again."};
  return {"queued",
          "Accepted; it is running in the background. You will be told when it ends: do not call "
          "it again."};
}

}  // namespace

CallTimes call_times(const persistence::store::RecordedCall& call) {
  std::optional<WallTime> ended;
  if (call.completion) ended = from_unix_us(call.completion->time_us());
  CallTimes times;
  if (call.started_at) {
    times.waited = *call.started_at - call.submitted_at;
    if (ended) times.ran = *ended - *call.started_at;
  } else if (ended) {
    times.waited = *ended - call.submitted_at;
  }
  return times;
}

persistence::store::RecordedCall call_of(const v1::CallRequest& request) {
  persistence::store::RecordedCall call;
  call.call_id = request.call_id();
  call.tenant_id = request.tenant_id();
  call.user_id = request.user_id();
  call.session_key = request.session_key();
  call.session_id = request.session_id();
  call.labels = request.labels();
  call.arguments = request.arguments();
  call.secret_places.assign(request.secret_places().begin(), request.secret_places().end());
  call.spec_digest = request.spec_digest();
  call.submitted_at = from_unix_us(request.submitted_at_us());
  call.held = proto::waits_for_approval(request);
  call.parent_call_id = request.parent_call_id();
  call.face = request.face();
  call.admission = proto::admission_to_tell(request);
  return call;
}

persistence::store::RecordedCall call_of(const v1::CallEvent& event) {
  persistence::store::RecordedCall call;
  call.call_id = event.call_id();
  call.tenant_id = event.tenant_id();
  call.user_id = event.user_id();
  call.session_key = event.session_key();
  call.session_id = event.session_id();
  call.labels = event.labels();
  call.submitted_at = from_unix_us(event.submitted_at_us());
  apply_event(call, event);
  return call;
}

std::uint64_t result_bytes(const v1::Completed& completed) {
  return completed.has_blob() ? completed.blob().size() : completed.result().size();
}

void apply_event(persistence::store::RecordedCall& call, const v1::CallEvent& event) {
  if (call.completion) return;
  if (const auto said = proto::approval_state(event); said != proto::ApprovalState::kNone)
    call.held = said != proto::ApprovalState::kApproved;
  if (event.attempt() > call.attempt) {
    call.held = false;
    call.attempt = event.attempt();
    call.retry_at.reset();
    call.started_at.reset();
  }
  if (event.has_started() && !call.started_at) {
    call.started_at = from_unix_us(event.started().started_at_us());
  }
  if (event.has_retry_at()) {
    call.retry_at = from_unix_us(event.retry_at().at_us());
    call.started_at.reset();
  }
  if (event.has_completed()) {
    call.retry_at.reset();
    call.completion = event;
    if (event.completed().started_at_us() != 0) {
      call.started_at = from_unix_us(event.completed().started_at_us());
    }
  }
}

std::string call_json(const persistence::store::RecordedCall& call, CallForm form,
                      std::string_view version) {
  std::string out;
  out.reserve(768 + call.arguments.size() +
              (call.completion ? call.completion->completed().result().size() : 0));
  wire::ObjectText object(out);
  if (form == CallForm::kWaited) object.text("status", "completed");
  object.text("call_id", call.call_id);
  if (form == CallForm::kWaited) object.text("tool_name", call.labels.tool());
  object.text("session_id", call.session_id);
  object.text("tool", call.labels.tool());
  object.text("namespace", call.labels.namespace_());
  object.text_or_null("spec_digest", call.spec_digest);
  if (form == CallForm::kGet) object.text_or_null("version", version);
  object.text_or_null("tool_call_id", call.labels.tool_call_id());
  if (!call.parent_call_id.empty()) object.text("parent_call_id", call.parent_call_id);
  if (!call.face.empty()) object.text("face", call.face);
  object.text_or_null("topic", call.labels.topic());
  object.boolean("multi_step", call.labels.multi_step());
  object.text("state", state_of(call));
  if (call.secret_places.empty()) {
    object.json("arguments", call.arguments);
  } else {
    object.json("arguments", tools::schema::hidden_text(call.arguments, call.secret_places));
    object.begin("hidden_arguments");
    wire::write_list(out, call.secret_places, [](std::string& to, const std::string& place) {
      wire::append_string(to, place);
    });
  }
  object.number("attempt", call.attempt);
  object.time_us("submitted_at", to_unix_us(call.submitted_at));
  object.time_us("started_at", us_or_zero(call.started_at));
  object.time_us("completed_at", call.completion ? call.completion->time_us() : 0);
  object.time_us("recorded_at", us_or_zero(call.recorded_at));
  if (form == CallForm::kGet) {
    const auto times = call_times(call);
    write_milliseconds(object, "waited_ms", times.waited);
    write_milliseconds(object, "ran_ms", times.ran);
  }
  if (call.completion) {
    wire::write_completion(object, out, call.completion->completed(), call.call_id);
  } else {
    for (const auto* key : {"outcome", "result", "result_ref", "content", "error"})
      object.null(key);
  }
  object.end();
  return out;
}

std::string_view accepted_status(const v1::CallRequest& request) { return told_of(request).status; }

std::string accepted_json(const v1::CallRequest& request) {
  return accepted_json(request, told_of(request).message);
}

std::string accepted_json(const v1::CallRequest& request, std::string_view message) {
  std::string out;
  out.reserve(256);
  wire::ObjectText object(out);
  object.text("status", accepted_status(request));
  object.text("call_id", request.call_id());
  object.text("tool_name", request.labels().tool());
  object.text("message", message);
  object.end();
  return out;
}

}  // namespace toolway::gateway::calls
