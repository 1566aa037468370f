#include "gateway/calls/tool_calls.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "gateway/calls/call_json.h"
#include "gateway/calls/call_request.h"
#include "gateway/wire/event_json.h"
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
    text += tools::exports::block_line({.type = block.type(),
                                        .mime_type = block.mime_type(),
                                        .name = block.name(),
                                        .uri = block.uri(),
                                        .bytes = block.data().size()});
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
    result.text +=
        tools::exports::whole_result_note(completed.blob().size(), call.request.call_id());
  }
  return result;
}

std::string_view status_of(const AnsweredCall& call) {
  if (call.refused) return "refused";
  if (call.never_started) return "never_started";
  if (call.completion) return "completed";
  return proto::waits_for_approval(call.request) ? "awaiting_approval" : "detached";
}

/// As the error of a call has it.
void write_refusal(std::string& out, const wire::Problem& problem) {
  const auto retry_s = wire::retry_after_seconds(problem);
  wire::ObjectText object(out);
  object.text("code", code_name(problem.error.code));
  object.text("message", problem.error.message);
  object.boolean("retryable", wire::status_of(problem) == 429 || wire::status_of(problem) == 503);
  if (retry_s) {
    object.number("retry_after_ms", *retry_s * 1000);
  } else {
    object.null("retry_after_ms");
  }
  if (problem.suggestions.empty()) {
    object.null("details");
  } else {
    object.begin("details");
    wire::ObjectText details(out);
    details.begin("suggestions");
    wire::write_list(out, problem.suggestions, wire::append_string);
    details.end();
  }
  object.end();
}

/// One call of no API's message: what became of it, and what a model reads of it.
void write_result(std::string& out, const AnsweredCall& call) {
  const auto read = result_of(call);
  wire::ObjectText object(out);
  object.text("id", call.tool_call_id);
  object.text_or_null("call_id", call.refused ? call.refused->call_id : call.request.call_id());
  object.text("tool", call.tool);
  object.text("status", status_of(call));
  if (call.completion && !call.refused) {
    wire::write_completion(object, out, call.completion->completed(), call.request.call_id());
  } else {
    for (const auto* name : {"outcome", "result", "result_ref"}) object.null(name);
    object.json("content", "[]");
    if (call.refused) {
      object.begin("error");
      write_refusal(out, *call.refused);
    } else {
      object.null("error");
    }
  }
  object.text("text", read.text);
  object.boolean("is_error", read.is_error);
  object.end();
}

std::string neutral_json(const std::vector<AnsweredCall>& calls) {
  std::string out;
  wire::ObjectText object(out);
  object.begin("results");
  wire::write_list(out, calls, write_result);
  object.end();
  return out;
}

}  // namespace

wire::HttpResult<ToolCallsQuery> parse_tool_calls_query(const wire::Target& target) {
  RETURN_IF_ERROR(target.only({"format", "inline_ms", "start"}));
  ToolCallsQuery query;
  const auto format = target.query("format");
  query.api = tools::exports::parse_model_api(format.value_or(""));
  if (!query.api && format != "toolway") {
    return wire::refuse(
        wire::invalid_parameter("format", format ? "enum" : "required",
                                "expected toolway, openai, openai-responses or anthropic"));
  }
  if (const auto text = target.query("inline_ms")) {
    std::int64_t ms = -1;
    if (!parse_number(*text, ms) || ms < 0 || ms > kMaxInlineWait.count()) {
      return wire::refuse(wire::invalid_parameter(
          "inline_ms", "range",
          fmt::format("expected a number from 0 to {}", kMaxInlineWait.count())));
    }
    query.inline_wait = std::chrono::milliseconds(ms);
  }
  if (const auto start = target.query("start")) {
    if (*start != "false")
      return wire::refuse(wire::invalid_parameter("start", "const", "expected false"));
    if (query.api)
      return wire::refuse(wire::invalid_parameter("start", "format", "needs format=toolway"));
    query.start = false;
  }
  return query;
}

wire::HttpResult<std::vector<tools::exports::ModelCall>> parse_tool_calls(
    wire::ParsedBody body, MessageApi api, std::size_t max_arguments_bytes) {
  const tools::exports::ModelMessageBounds bounds{.calls = kMaxBatchCalls,
                                                  .arguments_bytes = max_arguments_bytes};
  auto calls = api ? tools::exports::parse_model_message(std::move(body.json), *api, bounds)
                   : tools::exports::parse_neutral_calls(std::move(body.json), bounds);
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
  if (call.never_started) {
    return {.tool_call_id = call.tool_call_id,
            .text = tools::exports::model_error_text("the call was never started"),
            .is_error = true};
  }
  return {.tool_call_id = call.tool_call_id,
          .text = tools::exports::pretty_json(accepted_json(call.request))};
}

std::string tool_calls_json(MessageApi api, const std::vector<AnsweredCall>& calls,
                            std::string_view request_id) {
  if (!api) return neutral_json(calls);
  std::vector<tools::exports::ModelResult> results;
  results.reserve(calls.size());
  for (const AnsweredCall& call : calls) {
    results.push_back(result_of(call));
    results.back().custom = call.custom;
  }
  std::string out;
  wire::ObjectText object(out);
  object.json("messages", to_text(tools::exports::messages_to_append(*api, results)));
  object.begin("calls");
  wire::write_list(out, calls, [&request_id](std::string& text, const AnsweredCall& call) {
    wire::ObjectText entry(text);
    entry.text("tool_call_id", call.tool_call_id);
    entry.text_or_null("call_id", call.refused ? call.refused->call_id : call.request.call_id());
    entry.text("tool", call.tool);
    entry.text("status", status_of(call));
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
