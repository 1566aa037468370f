#include "gateway/mcp/result_resources.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "gateway/calls/call_json.h"
#include "gateway/mcp/page_cursor.h"
#include "gateway/mcp/result_uri.h"
#include "gateway/mcp/rpc_answer.h"
#include "gateway/wire/json_text.h"
#include "mcp/fields.h"
#include "proto/qualified_name.h"

namespace toolway::gateway::mcp {
namespace {

constexpr std::string_view kCursorPurpose = "mcp results cursor";
/// How long clients may keep it: the result of a call never changes.
constexpr int kTtlMs = 3'600'000;

Json resource_of(const persistence::store::RecordedCall& call) {
  Json resource{{"uri", result_uri(call.call_id)},
                {"name", call.call_id},
                {"title", fmt::format("Result of {}", proto::qualified_name(call.labels))},
                {"mimeType", "application/json"},
                {"size", calls::result_bytes(call.completion->completed())}};
  if (call.completion->time_us() > 0)
    resource["annotations"] = {
        {"lastModified", wire::time_text(from_unix_us(call.completion->time_us()))}};
  return resource;
}

/// The answer, with the result's text in it.
std::string answer_of(const RpcRequest& request, const std::string& uri, std::string text) {
  Json result{
      {"contents",
       Json::array({{{"uri", uri}, {"mimeType", "application/json"}, {"text", std::move(text)}}})}};
  if (request.stateless) {
    result["resultType"] = "complete";
    result["ttlMs"] = kTtlMs;
    result["cacheScope"] = "private";
  }
  return answer_text(request.request.id, result);
}

bool is_of_result(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnknownCall:
    case ErrorCode::kCallNotCompleted:
    case ErrorCode::kNoResult:
    case ErrorCode::kPayloadTooLarge: return true;
    default: return false;
  }
}

}  // namespace

bool has_result(const TaskFacts& facts) {
  return has_ended(facts) && facts.call.completion->completed().outcome() == v1::OUTCOME_SUCCEEDED;
}

std::optional<toolway::mcp::RpcError> result_refused(const Error& why, const std::string& uri) {
  if (!is_of_result(why.code)) return std::nullopt;
  const bool unknown = why.code == ErrorCode::kUnknownCall;
  return toolway::mcp::RpcError{.code = toolway::mcp::kInvalidParams,
                                .message = unknown ? "there is no such resource" : why.message,
                                .data = {{"uri", uri}}};
}

Json result_template() {
  return {{"uriTemplate", result_uri("{call_id}")},
          {"name", "result"},
          {"title", "Result of a call"},
          {"description", "The whole result of a call of this session that has succeeded."},
          {"mimeType", "application/json"}};
}

std::optional<Json> answer_about_results(std::string_view method, const Json& params,
                                         bool stateless) {
  if (method != "completion/complete") return std::nullopt;
  const auto* ref = toolway::mcp::member(params, "ref");
  const bool ours = ref != nullptr && toolway::mcp::short_text(*ref, "type") == "ref/resource" &&
                    toolway::mcp::short_text(*ref, "uri") == result_uri("{call_id}");
  if (!ours) return std::nullopt;
  Json none{{"completion", {{"values", Json::array()}, {"total", 0}, {"hasMore", false}}}};
  if (stateless) none["resultType"] = "complete";
  return none;
}

loop::Task<wire::HttpResult<bool>> list_results(const RequestScope& of, const RpcRequest& request,
                                                Json& listed) {
  const auto before = open_cursor(of, kCursorPurpose, request);
  if (!before) co_return false;
  CO_ASSIGN_OR_RETURN(const auto page, co_await of.ports.list_tasks(of.session.key, *before));
  auto& resources = listed["resources"];
  if (*before) resources = Json::array();
  for (const auto& facts : page.tasks)
    if (has_result(facts)) resources.push_back(resource_of(facts.call));
  if (page.more && !page.tasks.empty())
    listed["nextCursor"] = seal_cursor(of, kCursorPurpose, page.tasks.back().call.call_id);
  co_return true;
}

loop::Task<wire::HttpResult<wire::Response>> read_result_resource(const RequestScope& of,
                                                                  const RpcRequest& request,
                                                                  std::string call_id) {
  auto whole =
      co_await of.ports.read_result(of.routed.caller, call_id, of.session.record.session_key());
  const auto uri = result_uri(call_id);
  if (!whole)
    if (auto refused = result_refused(whole.error().error, uri))
      co_return failed(request, std::move(*refused));
  CO_RETURN_IF_ERROR(whole);
  wire::Response response;
  response.memory = std::move(whole->memory);
  if (whole->text.size() <= loop::WorkPool::kSmall) {
    response.body = answer_of(request, uri, std::move(whole->text));
    co_return response;
  }
  auto write = [request, uri, text = std::move(whole->text)]() mutable -> Result<std::string> {
    return answer_of(request, uri, std::move(text));
  };
  CO_ASSIGN_OR_RETURN(response.body,
                      co_await of.context.plan.threads.run<std::string>(std::move(write)));
  co_return response;
}

}  // namespace toolway::gateway::mcp
