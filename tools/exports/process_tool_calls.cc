#include "tools/exports/process_tool_calls.h"

#include "base/try.h"
#include "tools/exports/api_names.h"
#include "tools/model/local_context.h"

namespace toolway::tools::exports {
namespace {

model::Execution run(const model::Registry& registry, const ApiNames& names, const ModelCall& call,
                     const ProcessOptions& options, std::vector<model::ContentBlock>& content) {
  if (call.wrong) return tl::unexpected(model::ToolError(*call.wrong));
  ASSIGN_OR_RETURN(const auto qualified, names.resolve(call.tool));
  const auto dot = qualified.find('.');
  const auto tool = registry.find(std::string_view(qualified).substr(0, dot),
                                  std::string_view(qualified).substr(dot + 1));
  model::LocalContext context;
  context.session = options.session;
  context.user = options.user;
  context.call = call.id;
  context.call_limits = tool->spec().limits;
  context.stop = options.stop;
  context.secrets = options.secrets;
  model::ProgressTo progress([&](model::ProgressReport report) {
    if (options.progress) options.progress(call.id, std::move(report));
  });
  auto execution = tool->run(call.arguments, context, progress);
  if (execution) content = context.content();
  return execution;
}

}  // namespace

Result<std::vector<ToolCallResult>> process_tool_calls(const model::Registry& registry,
                                                       Json message, ModelApi api,
                                                       const ProcessOptions& options) {
  const auto calls = parse_model_message(std::move(message), api, options.bounds);
  if (!calls) return fail(ErrorCode::kInvalidRequest, schema::describe({calls.error()}));
  const ApiNames names(options.namespaces.empty() ? registry.list()
                                                  : registry.list(options.namespaces));
  std::vector<ToolCallResult> results;
  results.reserve(calls->size());
  for (const ModelCall& call : *calls) {
    std::vector<model::ContentBlock> content;
    auto execution = run(registry, names, call, options, content);
    results.push_back({.tool_call_id = call.id,
                       .json = execution ? std::move(*execution)
                                         : Json(model_error_text(execution.error().message)),
                       .is_error = !execution,
                       .custom = call.custom,
                       .content = std::move(content)});
  }
  return results;
}

OrderedJson messages_to_append(ModelApi api, const std::vector<ToolCallResult>& results) {
  std::vector<ModelResult> shown;
  shown.reserve(results.size());
  for (const ToolCallResult& result : results) {
    shown.push_back(
        {result.tool_call_id, model_text(to_text(result.json)), result.is_error, result.custom});
  }
  return messages_to_append(api, shown);
}

}  // namespace toolway::tools::exports
