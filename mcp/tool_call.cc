#include "mcp/tool_call.h"

#include <fmt/format.h>

#include <cmath>

#include "base/try.h"
#include "mcp/fields.h"

namespace toolway::mcp {
namespace {

constexpr std::size_t kMaxState = 256 * 1024;
constexpr std::size_t kMaxQuestions = 100;

tl::unexpected<Error> refuse_result(std::string what) {
  return fail(ErrorCode::kInvalidRequest, std::move(what));
}

Result<InputRequired> read_input_required(const Json& result) {
  InputRequired required;
  if (const auto* requests = member(result, "inputRequests");
      requests != nullptr && requests->is_object()) {
    if (requests->size() > kMaxQuestions) {
      return refuse_result(fmt::format("`inputRequests` has {} questions; the limit is {}",
                                       requests->size(), kMaxQuestions));
    }
    for (const auto& [key, request] : requests->items()) {
      const auto* params = member(request, "params");
      required.asks.push_back(
          {key, short_text(request, "method", 64),
           params != nullptr && params->is_object() ? *params : Json::object()});
    }
  }
  if (const auto* state = member(result, "requestState"); state != nullptr) {
    if (!state->is_string() || state->get_ref<const std::string&>().size() > kMaxState) {
      return refuse_result(
          fmt::format("`requestState` must be a text of at most {} bytes", kMaxState));
    }
    required.request_state = state->get<std::string>();
  }
  return required;
}

std::optional<double> number_in(const Json& params, const char* name) {
  const auto* found = member(params, name);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  const auto number = found->get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

}  // namespace

Result<std::variant<ToolCallResult, InputRequired>> decode_tool_call(const Json& result,
                                                                     Revision revision) {
  // Servers of earlier revisions do not say it.
  std::string type = "complete";
  if (const auto* said = member(result, "resultType");
      said != nullptr && rules_of(revision).requests == Requests::kOfClients) {
    if (!said->is_string()) return refuse_result("`resultType` must be a text");
    type = short_text(result, "resultType", 64);
  }
  if (type == "input_required") {
    ASSIGN_OR_RETURN(auto required, read_input_required(result));
    return required;
  }
  if (type != "complete")
    return refuse_result(
        fmt::format("`resultType` is '{}', which this revision does not have", type));
  ToolCallResult read;
  const auto* content = member(result, "content");
  if (const auto* structured = member(result, "structuredContent")) read.structured = *structured;
  if (content == nullptr && !read.structured) return refuse_result("the result has no `content`");
  if (content != nullptr) {
    ASSIGN_OR_RETURN(read.content, decode_content(*content));
  }
  if (const auto* error = member(result, "isError"); error != nullptr && !error->is_boolean()) {
    return refuse_result("`isError` must be true or false");
  }
  read.is_error = flag(result, "isError");
  return read;
}

std::optional<ProgressNotification> decode_progress(const Json& params) {
  const auto* token = member(params, "progressToken");
  const auto progress = number_in(params, "progress");
  if (token == nullptr || !progress) return std::nullopt;
  ProgressNotification read{.token = std::int64_t{0},
                            .progress = *progress,
                            .total = number_in(params, "total").value_or(0),
                            .message = short_text(params, "message", 4096)};
  if (token->is_string())
    read.token = token->get<std::string>();
  else if (token->is_number_integer())
    read.token = token->get<std::int64_t>();
  else
    return std::nullopt;
  return read;
}

}  // namespace toolway::mcp
