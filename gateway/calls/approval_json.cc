#include "gateway/calls/approval_json.h"

#include "gateway/wire/event_json.h"
#include "gateway/wire/json_text.h"
#include "proto/approvals.h"
#include "proto/qualified_name.h"

namespace toolway::gateway::calls {
namespace {

bool is_marked(const OrderedJson& schema, const char* mark) {
  const auto found = schema.find(mark);
  return found != schema.end() && *found == true;
}

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

std::string arguments_text(const v1::CallRequest& request, const tools::model::Registry& registry) {
  const auto& labels = request.labels();
  auto tool = registry.find(labels.namespace_(), labels.tool());
  if (!tool || tool->digest != request.spec_digest()) {
    const auto* candidate = registry.candidate_of(labels.namespace_(), labels.tool());
    tool = candidate != nullptr && candidate->tool->digest == request.spec_digest()
               ? candidate->tool
               : nullptr;
  }
  if (!tool) return {};
  auto arguments = parse_json(request.arguments());
  if (!arguments) return {};
  return to_text(shown_arguments(std::move(*arguments), tool->spec().input_schema));
}

}  // namespace

Json shown_arguments(Json value, const OrderedJson& schema) {
  if (!schema.is_object()) return value;
  if (is_marked(schema, "writeOnly") || is_marked(schema, "x-secret")) return "[secret]";
  if (value.is_object()) {
    const auto properties = schema.find("properties");
    if (properties == schema.end() || !properties->is_object()) return value;
    for (auto& [name, inside] : value.items()) {
      const auto of = properties->find(name);
      if (of != properties->end()) inside = shown_arguments(std::move(inside), *of);
    }
  } else if (value.is_array()) {
    const auto items = schema.find("items");
    if (items == schema.end()) return value;
    for (auto& inside : value) inside = shown_arguments(std::move(inside), *items);
  }
  return value;
}

bool is_waiting(const persistence::store::CallAndLog& held) {
  return proto::waits_for_approval(held.request) &&
         (!held.last || proto::approval_state(*held.last) == proto::ApprovalState::kWaiting);
}

void write_approval(std::string& out, const persistence::store::CallAndLog& held,
                    const tools::model::Registry& registry) {
  const auto& request = held.request;
  wire::ObjectText object(out);
  object.text("call_id", request.call_id());
  object.text("tool", proto::qualified_name(request.labels()));
  object.text("user_id", request.user_id());
  object.text("session_id", request.session_id());
  object.text("spec_digest", request.spec_digest());
  object.time_us("requested_at", request.submitted_at_us());
  wire::write_hold(object, out, request.hold());
  write_votes(object, out, held.last ? held.last->approval_decided() : v1::ApprovalDecided());
  object.json("arguments", arguments_text(request, registry));
  object.end();
}

}  // namespace toolway::gateway::calls
