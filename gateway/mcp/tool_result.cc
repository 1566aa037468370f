#include "gateway/mcp/tool_result.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "gateway/calls/call_json.h"
#include "gateway/mcp/questions.h"
#include "gateway/mcp/result_uri.h"
#include "gateway/wire/json_text.h"
#include "mcp/fields.h"
#include "proto/approvals.h"
#include "proto/codec.h"
#include "tools/exports/definitions.h"
#include "tools/exports/model_results.h"

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::Opening;
using toolway::mcp::Revision;
using toolway::mcp::RpcError;

/// From this revision on, results have `structuredContent` (2025-06-18, server/tools).
constexpr Revision kStructured = Revision::k2025_06_18;
/// Likewise, links to resources.
constexpr Revision kLinks = Revision::k2025_06_18;

Json text_block(std::string text) { return {{"type", "text"}, {"text", std::move(text)}}; }

Json block_of(const v1::ContentBlock& block) {
  if (block.type() == "image" || block.type() == "audio")
    return {
        {"type", block.type()}, {"data", base64(block.data())}, {"mimeType", block.mime_type()}};
  if (block.type() == "resource_link")
    return {{"type", "resource_link"},
            {"uri", block.uri()},
            {"name", block.name().empty() ? block.uri() : block.name()}};
  if (block.type() == "resource") {
    Json resource{{"uri", block.uri()}};
    if (!block.mime_type().empty()) resource["mimeType"] = block.mime_type();
    if (block.data().empty())
      resource["text"] = block.text();
    else
      resource["blob"] = base64(block.data());
    return {{"type", "resource"}, {"resource", std::move(resource)}};
  }
  return text_block(block.text());
}

/// What every result of a revision in which each request says it all says (2026-07-28,
/// basic/index, "Results").
Json completed_as(Json result, Revision revision) {
  if (toolway::mcp::rules_of(revision).opening == Opening::kEachRequest)
    result["resultType"] = "complete";
  return result;
}

/// What the tool's own server answered so.
std::optional<RpcError> upstream_error(const v1::Completed& completed) {
  if (completed.error().code() != "mcp_refused") return std::nullopt;
  const auto details = parse_json(completed.error().details());
  const auto* code = details ? toolway::mcp::member(*details, "code") : nullptr;
  if (code == nullptr || !code->is_number_integer()) return std::nullopt;
  RpcError error{.code = code->get<std::int64_t>(), .message = completed.error().message()};
  if (const auto* data = toolway::mcp::member(*details, "data")) error.data = *data;
  return error;
}

/// A tool that could not ask.
std::optional<RpcError> missing_capability(const v1::Completed& completed) {
  if (completed.error().code() != code_name(ErrorCode::kCannotAsk)) return std::nullopt;
  const auto details = parse_json(completed.error().details());
  if (!details) return std::nullopt;
  auto required = required_capabilities(toolway::mcp::short_text(*details, "method"),
                                        toolway::mcp::flag(*details, "url"));
  if (required.is_null()) return std::nullopt;
  return RpcError{.code = toolway::mcp::kMissingCapability,
                  .message = completed.error().message(),
                  .data = {{"requiredCapabilities", std::move(required)}}};
}

/// Whether a result, a JSON text, is shown as a value, too: until 2025-11-25 only an object.
bool is_structured(std::string_view result, const tools::model::Spec& spec, Revision revision) {
  if (revision < kStructured || spec.output_schema.is_null()) return false;
  const auto begin = result.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  return result[begin] == '{' || toolway::mcp::rules_of(revision).opening == Opening::kEachRequest;
}

/// What follows the beginning of a large result.
Json large_text(const v1::Completed& completed, const std::string& call_id, bool is_error) {
  const auto uri = result_uri(call_id);
  const auto bytes = completed.blob().size();
  if (!is_error)
    return text_block(fmt::format(
        "[This is only the beginning: the whole result has {} bytes, and is the resource {}]",
        bytes, uri));
  return text_block(
      fmt::format("[The call succeeded: do not call it again. This is only the beginning of its "
                  "result, which has {} bytes; the whole is the resource {}, and the answer to GET "
                  "/v1/calls/{}/result]",
                  bytes, uri, call_id));
}

Json succeeded(const v1::Completed& completed, const v1::CallRequest& request,
               const tools::model::Spec& spec, Revision revision, std::string_view whole) {
  Json content = Json::array();
  for (const auto& block : completed.content()) content.push_back(block_of(block));
  if (content.empty())
    content.push_back(text_block(tools::exports::model_text(completed.result())));
  const bool is_error = needs_whole(completed, spec, revision) && whole.empty();
  if (completed.has_blob()) {
    content.push_back(large_text(completed, request.call_id(), is_error));
    if (revision >= kLinks)
      content.push_back({{"type", "resource_link"},
                         {"uri", result_uri(request.call_id())},
                         {"name", request.call_id()},
                         {"mimeType", "application/json"},
                         {"size", completed.blob().size()}});
  }
  Json result{{"content", std::move(content)}, {"isError", is_error}};
  const auto text = completed.has_blob() ? whole : std::string_view(completed.result());
  if (is_structured(text, spec, revision))
    if (auto value = parse_json(text)) result["structuredContent"] = *std::move(value);
  return result;
}

}  // namespace

bool must_be_structured(const tools::model::Spec& spec, Revision revision) {
  return revision >= kStructured &&
         tools::exports::shows_output_schema(spec, list_format(revision));
}

bool needs_whole(const v1::Completed& completed, const tools::model::Spec& spec,
                 Revision revision) {
  return completed.outcome() == v1::OUTCOME_SUCCEEDED && completed.has_blob() &&
         must_be_structured(spec, revision);
}

Json tool_result(const v1::CallEvent& completion, const v1::CallRequest& request,
                 const tools::model::Spec& spec, Revision revision, std::string_view whole) {
  const auto& completed = completion.completed();
  const bool ok = completed.outcome() == v1::OUTCOME_SUCCEEDED;
  Json meta{{"toolway/call_id", request.call_id()}};
  if (ok) {
    auto result = succeeded(completed, request, spec, revision, whole);
    if (result["isError"] == true)
      meta["toolway/outcome"] = proto::outcome_name(completed.outcome());
    result["_meta"] = std::move(meta);
    return completed_as(std::move(result), revision);
  }
  meta["toolway/outcome"] = proto::outcome_name(completed.outcome());
  meta["toolway/code"] = completed.error().code();
  const auto& said = completed.error().message();
  auto text = said.empty()
                  ? fmt::format("the call ended as {}", proto::outcome_name(completed.outcome()))
                  : said;
  Json result{{"content", Json::array({text_block(std::move(text))})},
              {"isError", true},
              {"_meta", std::move(meta)}};
  return completed_as(std::move(result), revision);
}

std::string tool_answer(const toolway::mcp::RequestId& id, const v1::CallEvent& completion,
                        const v1::CallRequest& request, const tools::model::Spec& spec,
                        Revision revision, std::string_view whole) {
  const auto& completed = completion.completed();
  if (completed.outcome() != v1::OUTCOME_SUCCEEDED || !completed.content().empty() ||
      completed.has_blob())
    return toolway::mcp::encode(toolway::mcp::Answer{
        .id = id, .result = tool_result(completion, request, spec, revision, whole)});
  std::string out;
  out.reserve(256 + 2 * completed.result().size());
  wire::ObjectText answer(out);
  answer.text("jsonrpc", "2.0");
  if (const auto* number = std::get_if<std::int64_t>(&id))
    answer.json("id", std::to_string(*number));
  else
    answer.text("id", std::get<std::string>(id));
  answer.begin("result");
  wire::ObjectText result(out);
  result.begin("content");
  out += R"([{"type":"text","text":)";
  wire::append_string(out, tools::exports::model_text(completed.result()));
  out += "}]";
  result.boolean("isError", false);
  if (is_structured(completed.result(), spec, revision))
    result.json("structuredContent", completed.result());
  result.begin("_meta");
  wire::ObjectText meta(out);
  meta.text("toolway/call_id", request.call_id());
  meta.end();
  if (toolway::mcp::rules_of(revision).opening == Opening::kEachRequest)
    result.text("resultType", "complete");
  result.end();
  answer.end();
  return out;
}

std::optional<RpcError> protocol_error(const v1::Completed& completed, Revision revision) {
  if (auto upstream = upstream_error(completed)) return upstream;
  if (toolway::mcp::rules_of(revision).opening != Opening::kEachRequest) return std::nullopt;
  return missing_capability(completed);
}

v1::CallEvent completion_of(const Json& shown) {
  const auto text = [](const Json& object, const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    return object.is_object() && found != object.end() && found->is_string()
               ? found->get<std::string>()
               : std::string();
  };
  v1::CallEvent event;
  auto& completed = *event.mutable_completed();
  completed.set_outcome(proto::outcome_named(text(shown, "outcome")));
  const auto result = shown.find("result");
  if (result != shown.end() && !result->is_null()) completed.set_result(to_text(*result));
  for (const auto& block : shown.value("content", Json::array())) {
    auto& made = *completed.add_content();
    made.set_type(text(block, "type"));
    made.set_text(text(block, "text"));
    made.set_data(from_base64(text(block, "data")).value_or(""));
    made.set_mime_type(text(block, "mime_type"));
    made.set_uri(text(block, "uri"));
    made.set_name(text(block, "name"));
  }
  const auto error = shown.find("error");
  if (error != shown.end() && error->is_object()) {
    completed.mutable_error()->set_code(text(*error, "code"));
    completed.mutable_error()->set_message(text(*error, "message"));
    if (const auto details = error->find("details"); details != error->end())
      completed.mutable_error()->set_details(to_text(*details));
  }
  const auto large = shown.find("result_ref");
  if (large != shown.end() && large->is_object())
    completed.mutable_blob()->set_size(large->value("size", std::uint64_t{0}));
  return event;
}

Json accepted_result(const v1::CallRequest& request, const tools::model::Spec& spec,
                     Revision revision, std::string_view check_tool) {
  const std::string_view state = proto::waits_for_approval(request)
                                     ? "Waiting for a person's approval."
                                     : "Accepted; it is running in the background.";
  const auto next =
      check_tool.empty()
          ? fmt::format(
                "Do not call it again: when it has succeeded, its result is the resource "
                "{}.",
                result_uri(request.call_id()))
          : fmt::format("Do not call it again; check it with {}, call_id {}.", check_tool,
                        request.call_id());
  auto text = calls::accepted_json(request, fmt::format("{} {}", state, next));
  Json result{{"content", Json::array({text_block(std::move(text))})},
              {"isError", must_be_structured(spec, revision)},
              {"_meta",
               {{"toolway/call_id", request.call_id()},
                {"toolway/status", calls::accepted_status(request)}}}};
  return completed_as(std::move(result), revision);
}

tools::exports::Format list_format(Revision revision) {
  using tools::exports::Format;
  switch (toolway::mcp::rules_of(revision).tasks) {
    case toolway::mcp::Tasks::kNone: return Format::kMcp;
    case toolway::mcp::Tasks::kByClient: return Format::kMcpTasks;
    case toolway::mcp::Tasks::kByServer: return Format::kMcpModern;
  }
  return Format::kMcp;
}

Json refused_result(const Error& error, Revision revision) {
  Json result{{"content", Json::array({text_block(error.message)})},
              {"isError", true},
              {"_meta", {{"toolway/code", code_name(error.code)}}}};
  return completed_as(std::move(result), revision);
}

}  // namespace toolway::gateway::mcp
