#include "gateway/calls/tool_calls.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "gateway/calls/call_json.h"
#include "gateway/calls/call_request.h"
#include "gateway/wire/json_text.h"
#include "proto/approvals.h"
#include "proto/codec.h"

namespace toolway::gateway::calls {
namespace {

/// A result with blocks, for a model that reads text: a block that is not text is named.
std::string text_of_blocks(const v1::Completed& completed) {
  std::string text;
  for (const auto& block : completed.content()) {
    if (!text.empty()) text += '\n';
    if (block.type() == "text") {
      text += block.text();
      continue;
    }
    text += fmt::format("[{}", block.type());
    for (const auto* part : {&block.mime_type(), &block.name(), &block.uri()}) {
      if (!part->empty()) text += " " + *part;
    }
    if (!block.data().empty()) text += fmt::format(", {} bytes", block.data().size());
    text += "]";
    if (!block.text().empty()) text += " " + block.text();
  }
  return text;
}

tools::exports::ModelResult completed_result(const AnsweredCall& call) {
  const v1::Completed& completed = call.completion->completed();
  tools::exports::ModelResult result{.tool_call_id = call.tool_call_id};
  if (completed.outcome() != v1::OUTCOME_SUCCEEDED) {
    const std::string& message = completed.error().message();
    result.is_error = true;
    result.text = tools::exports::model_error_text(
        message.empty()
            ? fmt::format("the call ended as {}", proto::outcome_name(completed.outcome()))
            : message);
    return result;
  }
  result.text = completed.content_size() > 0 ? text_of_blocks(completed)
                                             : tools::exports::model_text(completed.result());
  if (completed.has_blob()) {
    result.text += fmt::format(
        "\n\n[This is only the beginning: the whole result has {} bytes, and is at /v1/calls/{}/result]",
        completed.blob().size(), call.request.call_id());
  }
  return result;
}

}  // namespace

wire::HttpResult<ToolCallsQuery> parse_tool_calls_query(const wire::Target& target) {
  RETURN_IF_ERROR(target.only({"format", "inline_ms"}));
  ToolCallsQuery query;
  const auto format = target.query("format");
  const auto api = tools::exports::parse_model_api(format.value_or(""));
  if (!api) {
    return wire::refuse(wire::invalid_parameter("format", format ? "enum" : "required",
                                                "expected openai, openai-responses or anthropic"));
  }
  query.api = *api;
  if (const auto text = target.query("inline_ms")) {
    std::int64_t ms = -1;
    if (!parse_number(*text, ms) || ms < 0 || ms > kMaxInlineWait.count()) {
      return wire::refuse(wire::invalid_parameter(
          "inline_ms", "range",
          fmt::format("expected a number from 0 to {}", kMaxInlineWait.count())));
    }
    query.inline_wait = std::chrono::milliseconds(ms);
  }
  return query;
}

wire::HttpResult<std::vector<tools::exports::ModelCall>> parse_tool_calls(
    wire::ParsedBody body, tools::exports::ModelApi api, std::size_t max_arguments_bytes) {
  auto calls = tools::exports::parse_model_message(
      std::move(body.json), api, {.calls = kMaxBatchCalls, .arguments_bytes = max_arguments_bytes});
  if (!calls) return wire::refuse(wire::invalid_request({std::move(calls.error())}));
  return std::move(*calls);
}

tools::exports::ModelResult result_of(const AnsweredCall& call) {
  if (call.refused) {
    return {.tool_call_id = call.tool_call_id,
            .text = tools::exports::model_error_text(call.refused->error.message),
            .is_error = true};
  }
  if (call.completion) return completed_result(call);
  return {.tool_call_id = call.tool_call_id,
          .text = tools::exports::pretty_json(accepted_json(call.request))};
}

std::string tool_calls_json(tools::exports::ModelApi api, const std::vector<AnsweredCall>& calls,
                            std::string_view request_id) {
  std::vector<tools::exports::ModelResult> results;
  results.reserve(calls.size());
  for (const AnsweredCall& call : calls) {
    results.push_back(result_of(call));
    results.back().custom = call.custom;
  }
  std::string out;
  wire::ObjectText object(out);
  object.json("messages", to_text(tools::exports::messages_to_append(api, results)));
  object.begin("calls");
  wire::write_list(out, calls, [&request_id](std::string& text, const AnsweredCall& call) {
    wire::ObjectText entry(text);
    entry.text("tool_call_id", call.tool_call_id);
    entry.text_or_null("call_id", call.refused ? call.refused->call_id : call.request.call_id());
    entry.text("tool", call.tool);
    entry.text("status", call.refused                              ? "refused"
                         : call.completion                         ? "completed"
                         : proto::waits_for_approval(call.request) ? "awaiting_approval"
                                                                   : "detached");
    entry.text_or_null("outcome", call.completion
                                      ? proto::outcome_name(call.completion->completed().outcome())
                                      : std::string_view());
    if (call.refused) entry.json("error", wire::problem_json(*call.refused, request_id));
    entry.end();
  });
  object.end();
  return out;
}

std::size_t writing_cost(const std::vector<AnsweredCall>& calls) {
  // Deep lists of short values grow most when they are indented.
  constexpr std::size_t kPerResultByte = 4;
  constexpr std::size_t kPerCall = 256;
  std::size_t bytes = 0;
  for (const AnsweredCall& call : calls) {
    bytes += kPerCall + (call.completion ? kPerResultByte * call.completion->ByteSizeLong() : 0);
  }
  return bytes;
}

}  // namespace toolway::gateway::calls
