#include "gateway/wire/event_json.h"

#include <fmt/format.h>
#include <algorithm>

#include "base/base64.h"
#include "gateway/wire/json_text.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "proto/questions.h"

namespace toolway::gateway::wire {
namespace {

void write_block(std::string& out, const v1::ContentBlock& block) {
  ObjectText object(out);
  object.text("type", block.type());
  if (block.type() == "text" || !block.text().empty()) object.text("text", block.text());
  if (!block.data().empty()) object.text("data", base64(block.data()));
  if (!block.mime_type().empty()) object.text("mime_type", block.mime_type());
  if (!block.uri().empty()) object.text("uri", block.uri());
  if (!block.name().empty()) object.text("name", block.name());
  object.end();
}

void write_error(std::string& out, const v1::CallError& error) {
  ObjectText object(out);
  object.text("code", error.code());
  object.text("message", error.message());
  object.boolean("retryable", error.retryable());
  if (error.retry_after_ms() == 0) {
    object.null("retry_after_ms");
  } else {
    object.number("retry_after_ms", error.retry_after_ms());
  }
  object.json("details", error.details());
  object.end();
}

void write_ref(std::string& out, const v1::BlobRef& blob, std::string_view call_id) {
  ObjectText object(out);
  object.number("size", blob.size());
  object.text("sha256", blob.sha256());
  object.text("href", fmt::format("/v1/calls/{}/result", call_id));
  object.boolean("preview", true);
  if (blob.items() == 0) {
    object.null("items");
  } else {
    object.number("items", blob.items());
  }
  object.end();
}

/// One of the two events that a merged completion is shown as.
enum class Part { kWhole, kStartedOfMerged };

void write_head(ObjectText& object, const v1::CallEvent& event, EventId id, std::string_view type,
                Part part) {
  const bool start = part == Part::kStartedOfMerged;
  object.text("id", id.text());
  object.text("type", type);
  object.text("call_id", event.call_id());
  object.text("session_id", event.session_id());
  object.text("tool", event.labels().tool());
  object.text("namespace", event.labels().namespace_());
  object.text_or_null("tool_call_id", event.labels().tool_call_id());
  object.text_or_null("topic", event.labels().topic());
  object.boolean("multi_step", event.labels().multi_step());
  object.number("attempt", event.attempt());
  object.number("seq", start ? event.seq() - 1 : event.seq());
  object.time_us("time", start ? event.completed().started_at_us() : event.time_us());
}

void write_progress(ObjectText& object, const v1::Progress& progress) {
  object.real("progress", progress.progress());
  if (progress.total() == 0) {
    object.null("total");
  } else {
    object.real("total", progress.total());
  }
  object.text_or_null("message", progress.message());
  object.text_or_null("step", progress.step());
  object.json("data", progress.data());
  object.number("merged", progress.merged());
}

void write_decision(ObjectText& object, const v1::CallEvent& event) {
  const auto& decided = event.approval_decided();
  const auto* vote = proto::newest_vote(event);
  if (vote == nullptr) return;
  object.text("decision", vote->approve() ? "approve" : "deny");
  object.text("by", vote->user_id());
  object.text_or_null("reason", vote->reason());
  object.number("approvals", proto::approvals_of(decided));
  object.number("quorum", decided.hold().quorum());
  object.boolean("approved", !event.approved().empty());
}

/// Those that the event asks. Answers are for the tool alone.
void write_questions(ObjectText& object, std::string& out, const v1::CallEvent& event) {
  const auto& keys = event.input_requested().keys();
  object.begin("questions");
  ListText list(out);
  for (const auto& question : event.questions()) {
    if (std::ranges::find(keys, question.key()) == keys.end()) continue;
    list.next();
    ObjectText one(out);
    one.text("key", question.key());
    one.text("method", question.method());
    one.json("params", question.params());
    one.end();
  }
  list.end();
}

ShownEvent shown(const v1::CallEvent& event, EventPosition position) {
  ShownEvent out{id_of(position), proto::event_kind_name(event), {}};
  out.json.reserve(512 + event.completed().result().size());
  ObjectText object(out.json);
  write_head(object, event, out.id, out.type, Part::kWhole);
  switch (event.kind_case()) {
    case v1::CallEvent::kStarted: object.text("worker_id", event.worker_id()); break;
    case v1::CallEvent::kProgress: write_progress(object, event.progress()); break;
    case v1::CallEvent::kLog:
      object.text("level", event.log().level());
      object.text("message", event.log().message());
      break;
    case v1::CallEvent::kCompleted:
      write_completion(object, out.json, event.completed(), event.call_id());
      object.time_us("started_at", event.completed().started_at_us());
      object.time_us("submitted_at", event.submitted_at_us());
      break;
    case v1::CallEvent::kCancelRequested:
      object.text_or_null("reason", event.cancel_requested().reason());
      break;
    case v1::CallEvent::kRetryAt:
      object.time_us("at", event.retry_at().at_us());
      object.number("attempts_left", event.retry_at().attempts_left());
      object.begin("error");
      write_error(out.json, event.retry_at().error());
      break;
    case v1::CallEvent::kApprovalRequested:
      write_hold(object, out.json, event.approval_requested().hold());
      break;
    case v1::CallEvent::kApprovalDecided: write_decision(object, event); break;
    case v1::CallEvent::kInputRequested:
      write_questions(object, out.json, event);
      if (proto::is_parked(event)) object.boolean("parked", true);
      break;
    case v1::CallEvent::kInputProvided:
      object.begin("answered");
      write_list(out.json, event.input_provided().keys(), append_string);
      break;
    case v1::CallEvent::kAlive:
    case v1::CallEvent::KIND_NOT_SET: break;
  }
  object.end();
  return out;
}

ShownEvent shown_start(const v1::CallEvent& event, EventPosition position) {
  ShownEvent out{{position.incarnation, position.sequence * 2 - 1}, "started", {}};
  out.json.reserve(512);
  ObjectText object(out.json);
  write_head(object, event, out.id, out.type, Part::kStartedOfMerged);
  object.text("worker_id", event.worker_id());
  object.end();
  return out;
}

}  // namespace

void write_hold(ObjectText& object, std::string& out, const v1::Hold& hold) {
  object.text("held_by", hold.because());
  object.begin("roles");
  write_list(out, hold.roles(), append_string);
  object.number("quorum", hold.quorum());
  object.time_us("expires_at", hold.expires_at_us());
}

void write_completion(ObjectText& object, std::string& out, const v1::Completed& completed,
                      std::string_view call_id) {
  object.text("outcome", proto::outcome_name(completed.outcome()));
  object.json("result", completed.result());
  if (completed.has_blob()) {
    object.begin("result_ref");
    write_ref(out, completed.blob(), call_id);
  } else {
    object.null("result_ref");
  }
  object.begin("content");
  write_list(out, completed.content(), write_block);
  object.begin("error");
  if (completed.has_error()) {
    write_error(out, completed.error());
  } else {
    out.append("null");
  }
}

std::vector<ShownEvent> show_event(const v1::CallEvent& event, EventPosition position) {
  std::vector<ShownEvent> events;
  if (event.kind_case() == v1::CallEvent::kAlive ||
      event.kind_case() == v1::CallEvent::KIND_NOT_SET) {
    return events;
  }
  if (event.has_completed() && event.completed().merged_start()) {
    events.push_back(shown_start(event, position));
  }
  events.push_back(shown(event, position));
  return events;
}

void append_sse(std::string& out, const ShownEvent& event) {
  out.append("id: ");
  out.append(event.id.text());
  out.append("\nevent: ");
  out.append(event.type);
  out.append("\ndata: ");
  out.append(event.json);
  out.append("\n\n");
}

}  // namespace toolway::gateway::wire
