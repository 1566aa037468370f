#include "gateway/calls/call_plan.h"

#include <fmt/format.h>

#include "base/nearest_names.h"
#include "base/try.h"
#include "extensions/builtin/permissions.h"
#include "extensions/principal_message.h"
#include "gateway/calls/tool_advice.h"
#include "gateway/catalogue/tool_set.h"

namespace toolway::gateway::calls {
namespace {

/// Lowers `limit`, or complains that it would be raised. Zero in the spec: no limit, so any value
/// lowers it.
void lower(std::chrono::milliseconds& limit, std::chrono::milliseconds asked, const char* name,
           std::vector<tools::schema::Violation>& errors) {
  if (asked.count() == 0) return;
  if (limit.count() != 0 && asked > limit) {
    errors.push_back({.place = fmt::format("/limits/{}", name),
                      .message = fmt::format("the tool allows at most {}; a call can only lower it",
                                             limit.count()),
                      .keyword = "maximum"});
    return;
  }
  limit = asked;
}

std::uint32_t ms_of(std::chrono::milliseconds limit) {
  return static_cast<std::uint32_t>(limit.count());
}

}  // namespace

std::vector<std::string> nearest_tools(const CallContext& context, std::string_view asked) {
  // Like is compared with like: a bare name with bare names. The answer is always qualified.
  const bool bare = asked.find('.') == std::string_view::npos;
  auto visible = catalogue::tools_of(context.registry, context.namespaces, context.grants);
  std::erase_if(visible, [&context](const auto* tool) {
    return context.switches.off(tool->spec().ns, tool->spec().name) != nullptr;
  });
  std::vector<std::string> names;
  for (const auto* tool : visible) {
    names.push_back(bare ? tool->spec().name : tool->spec().qualified_name());
  }
  const auto nearest = nearest_names(asked, names);
  if (!bare) return nearest;
  std::vector<std::string> qualified;
  for (const auto& name : nearest) {
    for (const auto* tool : visible) {
      if (tool->spec().name == name) qualified.push_back(tool->spec().qualified_name());
    }
  }
  return qualified;
}

namespace {

/// What a name means to a caller who may not know of every tool that has it.
Result<tools::model::RegisteredToolPtr> as_granted(
    const CallContext& context, std::string_view asked,
    const std::function<bool(const tools::model::Spec&)>& offered,
    Result<tools::model::RegisteredToolPtr> found) {
  if (found && !context.grants->may_call((*found)->spec()))
    return fail(extensions::builtin::not_granted((*found)->spec(), *context.grants));
  if (found || found.error().code != ErrorCode::kAmbiguousTool) return found;
  std::vector<std::string> granted;
  const tools::model::RegisteredTool* refused = nullptr;
  for (const auto* tool : context.registry.list(context.namespaces)) {
    if (tool->spec().name != asked) continue;
    if (context.grants->may_call(tool->spec()))
      granted.push_back(tool->spec().ns);
    else
      refused = tool;
  }
  if (granted.empty() && refused != nullptr)
    return fail(extensions::builtin::not_granted(refused->spec(), *context.grants));
  return context.registry.resolve(granted, asked, offered);
}

}  // namespace

wire::HttpResult<tools::model::RegisteredToolPtr> find_tool(const CallContext& context,
                                                            std::string_view asked) {
  if (context.session.state() == v1::SessionRecord::STATE_CLOSED) {
    return wire::refuse(ErrorCode::kSessionClosed, "the session is closed and takes no calls");
  }
  const auto is_on = [&context](const tools::model::Spec& spec) {
    return context.switches.off(spec.ns, spec.name) == nullptr &&
           extensions::may_call(context.grants, spec);
  };
  auto found = context.registry.resolve(context.namespaces, asked, is_on);
  if (context.grants) found = as_granted(context, asked, is_on, std::move(found));
  if (!found) {
    wire::Problem problem{.error = found.error()};
    if (problem.error.code == ErrorCode::kUnknownTool) {
      problem.suggestions = nearest_tools(context, asked);
      if (auto elsewhere = offered_elsewhere(context, asked))
        problem.error.message = *std::move(elsewhere);
    }
    return wire::refuse(std::move(problem));
  }
  auto tool = context.registry.version_for(context.session.session_key(), *found);
  const tools::model::Spec& spec = tool->spec();
  if (const auto* off = context.switches.off(spec.ns, spec.name)) {
    return wire::refuse(ErrorCode::kToolDisabled, proto::switched_off(spec.ns, spec.name, *off));
  }
  return tool;
}

wire::Problem wrong_arguments(std::vector<tools::schema::Violation> violations) {
  wire::Problem problem{
      .error = Error{ErrorCode::kInvalidArguments, tools::schema::describe(violations)}};
  problem.errors = std::move(violations);
  return problem;
}

wire::HttpResult<PlannedCall> plan_call(const CallContext& context, CallBody body, CallId id,
                                        WallTime now) {
  ASSIGN_OR_RETURN(const auto tool, find_tool(context, body.tool));
  auto violations = tool->input->validate(body.arguments);
  if (!violations.empty()) return wire::refuse(wrong_arguments(std::move(violations)));
  return make_call(context, tool, std::move(body), id, now);
}

wire::HttpResult<PlannedCall> make_call(const CallContext& context,
                                        const tools::model::RegisteredToolPtr& tool, CallBody body,
                                        CallId id, WallTime now) {
  const tools::model::Spec& spec = tool->spec();
  tools::model::Limits limits = spec.limits;
  std::vector<tools::schema::Violation> raised;
  lower(limits.queue, body.limits.queue, "queue_ms", raised);
  lower(limits.run, body.limits.run, "run_ms", raised);
  lower(limits.total, body.limits.total, "total_ms", raised);
  lower(limits.heartbeat, body.limits.heartbeat, "heartbeat_ms", raised);
  if (!raised.empty()) return wire::refuse(wire::invalid_request(std::move(raised)));

  PlannedCall planned{.tool = tool};
  v1::CallRequest& request = planned.request;
  request.set_call_id(id.text());
  request.set_tenant_id(context.session.tenant_id());
  request.set_user_id(context.session.user_id());
  request.set_session_key(context.session.session_key());
  request.set_session_id(context.session.session_id());
  auto& labels = *request.mutable_labels();
  labels.set_tool(spec.name);
  labels.set_namespace_(spec.ns);
  labels.set_tool_call_id(std::move(body.tool_call_id));
  labels.set_topic(!body.topic.empty() ? std::move(body.topic)
                                       : (spec.topic.empty() ? spec.name : spec.topic));
  labels.set_multi_step(spec.multi_step);
  request.set_pool(spec.pool);
  request.set_spec_digest(tool->digest);
  request.set_arguments(std::move(body.arguments_text));
  request.mutable_limits()->set_queue_ms(ms_of(limits.queue));
  request.mutable_limits()->set_run_ms(ms_of(limits.run));
  request.mutable_limits()->set_total_ms(ms_of(limits.total));
  request.mutable_limits()->set_heartbeat_ms(ms_of(limits.heartbeat));
  request.set_submitted_at_us(to_unix_us(now));
  extensions::write_principal(context.caller, *request.mutable_principal());
  return planned;
}

}  // namespace toolway::gateway::calls
