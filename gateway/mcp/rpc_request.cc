#include "gateway/mcp/rpc_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sha256.h"
#include "base/strict_json.h"
#include "base/try.h"
#include "gateway/calls/read_calls.h"
#include "gateway/mcp/questions.h"
#include "gateway/mcp/task.h"
#include "gateway/wire/json_text.h"
#include "mcp/fields.h"
#include "mcp/http_headers.h"
#include "tools/matching/arguments_digest.h"

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::member;
using toolway::mcp::Opening;
using toolway::mcp::Request;
using toolway::mcp::Revision;
using toolway::mcp::RpcError;

constexpr std::int64_t kParseError = -32700;
constexpr std::string_view kMetaRevision = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kMetaClient = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
/// What a client speaks that names none (2025-11-25, basic/transports, "Protocol Version Header").
constexpr Revision kUnnamed = Revision::k2025_03_26;
/// The oldest one with Streamable HTTP.
constexpr Revision kOldest = Revision::k2025_03_26;

tl::unexpected<RpcFailure> refuse(const Request& request, std::int64_t code, std::string message,
                                  Json data = {}) {
  return tl::unexpected(RpcFailure{
      .status = 400,
      .id = request.id,
      .error = RpcError{.code = code, .message = std::move(message), .data = std::move(data)}});
}

/// The same for params that are none: in the status, too, only where each request says it all.
tl::unexpected<RpcFailure> wrong_params(const Request& request, Opening opening,
                                        std::string message) {
  auto refused = refuse(request, toolway::mcp::kInvalidParams, std::move(message));
  if (opening == Opening::kHandshake) refused.value().status = 200;
  return refused;
}

const Json* meta_of(const Request& request) { return member(request.params, "_meta"); }

/// Null: no progress is wanted. Every revision, basic/utilities/progress: "a string or integer
/// value".
tl::expected<Json, RpcFailure> progress_token_of(const Request& request, Opening opening) {
  const auto* meta = meta_of(request);
  if (meta == nullptr) return Json();
  if (!meta->is_object()) return wrong_params(request, opening, "params._meta must be an object");
  const auto* token = member(*meta, "progressToken");
  if (token == nullptr || token->is_null()) return Json();
  if (!token->is_string() && !token->is_number_integer())
    return wrong_params(request, opening,
                        "params._meta.progressToken must be a text or a whole number");
  return *token;
}

/// What is wrong with params of `initialize`; nothing: they can be read.
std::optional<std::string> wrong_handshake(const Json& params) {
  const auto* revision = member(params, "protocolVersion");
  if (revision == nullptr) return "params.protocolVersion is missing";
  if (!revision->is_string()) return "params.protocolVersion must be a text";
  for (const char* name : {"capabilities", "clientInfo"}) {
    const auto* said = member(params, name);
    if (said != nullptr && !said->is_object())
      return fmt::format("params.{} must be an object", name);
  }
  return std::nullopt;
}

bool is_spoken(Revision revision, Opening opening) {
  return revision >= kOldest && toolway::mcp::rules_of(revision).opening == opening;
}

/// Why a header that names this revision, or an unknown one, does not fit a request without
/// `_meta`.
std::string why_no_handshake(std::optional<Revision> named) {
  if (named && is_spoken(*named, Opening::kEachRequest))
    return fmt::format("{} has no MCP-Session-Id: send params._meta with each request",
                       toolway::mcp::revision_name(*named));
  std::string spoken;
  for (auto at = toolway::mcp::kRevisions.rbegin(); at != toolway::mcp::kRevisions.rend(); ++at)
    if (is_spoken(*at, Opening::kHandshake))
      spoken += (spoken.empty() ? "" : ", ") + std::string(toolway::mcp::revision_name(*at));
  return "the revision in MCP-Protocol-Version is not spoken here; those that begin with "
         "initialize are " +
         spoken;
}

/// Whether it is a request of the era in which each one says it all.
bool is_stateless(const Request& request, const RpcHeaders& headers) {
  const auto* meta = meta_of(request);
  if (meta != nullptr && meta->is_object() && meta->contains(kMetaRevision)) return true;
  if (headers.session || request.method == "initialize") return false;
  if (request.method == "server/discover" || headers.method) return true;
  const auto named = headers.revision ? toolway::mcp::parse_revision(*headers.revision)
                                      : std::optional<Revision>();
  return named && toolway::mcp::rules_of(*named).opening == Opening::kEachRequest;
}

/// What a header must repeat of the body; empty: nothing.
std::string named_in(const Request& request) {
  const auto text = [&](const char* name) {
    const auto* found = member(request.params, name);
    return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (request.method == "tools/call" || request.method == "prompts/get") return text("name");
  if (request.method == "tasks/get" || request.method == "tasks/update" ||
      request.method == "tasks/cancel")
    return text("taskId");
  return request.method == "resources/read" ? text("uri") : std::string();
}

tl::expected<void, RpcFailure> check_headers(const Request& request, const RpcHeaders& headers,
                                             std::string_view revision) {
  const auto differs = [&](std::string_view header, std::optional<std::string_view> said,
                           std::string_view body) -> tl::expected<void, RpcFailure> {
    if (said && toolway::mcp::header_text(*said) == body) return {};
    return refuse(request, toolway::mcp::kHeaderMismatch,
                  said ? fmt::format("the header {} is not what the body says", header)
                       : fmt::format("the header {} is missing", header));
  };
  RETURN_IF_ERROR(differs("MCP-Protocol-Version", headers.revision, revision));
  RETURN_IF_ERROR(differs("Mcp-Method", headers.method, request.method));
  const auto name = named_in(request);
  if (!name.empty()) RETURN_IF_ERROR(differs("Mcp-Name", headers.name, name));
  return {};
}

std::string_view arguments_text_of(std::string_view body) {
  const auto params = wire::member_text(body, "params");
  return (params ? wire::member_text(*params, "arguments") : std::nullopt).value_or("");
}

tl::expected<RpcMessage, RpcFailure> read_stateless(Request request, const RpcHeaders& headers) {
  const auto* meta = meta_of(request);
  if (meta == nullptr || !meta->is_object())
    return refuse(request, toolway::mcp::kInvalidParams, "params._meta is missing");
  const auto* revision = member(*meta, kMetaRevision.data());
  if (revision == nullptr || !revision->is_string())
    return refuse(request, toolway::mcp::kInvalidParams,
                  fmt::format("_meta has no {}", kMetaRevision));
  const auto* capabilities = member(*meta, kMetaCapabilities.data());
  if (capabilities == nullptr || !capabilities->is_object())
    return refuse(request, toolway::mcp::kInvalidParams,
                  fmt::format("_meta has no {}", kMetaCapabilities));
  const auto name = revision->get<std::string>();
  const auto spoken = toolway::mcp::parse_revision(name);
  RETURN_IF_ERROR(check_headers(request, headers, name));
  if (!spoken || !is_spoken(*spoken, Opening::kEachRequest))
    return refuse(request, toolway::mcp::kUnsupportedRevision,
                  "this revision is not spoken here, or begins with initialize",
                  {{"supported", spoken_revisions()}, {"requested", name}});
  RpcRequest read{.request = {}, .revision = *spoken, .stateless = true};
  read.askable = askable_of(*capabilities);
  const auto* extensions = member(*capabilities, "extensions");
  const auto* tasks = extensions == nullptr ? nullptr : member(*extensions, kTasksExtension.data());
  read.tasks = tasks != nullptr && tasks->is_object();
  read.client = client_name(*meta, kMetaClient.data());
  ASSIGN_OR_RETURN(read.progress_token, progress_token_of(request, Opening::kEachRequest));
  if (const auto* level = member(*meta, kMetaLogLevel.data())) {
    if (!level->is_string())
      return wrong_params(request, Opening::kEachRequest,
                          fmt::format("params._meta has {}, which must be a text", kMetaLogLevel));
    read.log_level = level->get<std::string>();
  }
  read.request = std::move(request);
  return RpcMessage(std::move(read));
}

tl::expected<RpcMessage, RpcFailure> read_stateful(Request request, const RpcHeaders& headers) {
  RpcRequest read{.request = {}, .revision = kUnnamed};
  if (headers.revision && request.method != "initialize") {
    const auto named = toolway::mcp::parse_revision(*headers.revision);
    if (!named || !is_spoken(*named, Opening::kHandshake))
      return refuse(request, toolway::mcp::kInvalidRequestError, why_no_handshake(named));
    read.revision = *named;
  }
  if (headers.session) read.session = *headers.session;
  if (request.method == "initialize") {
    if (auto wrong = wrong_handshake(request.params))
      return wrong_params(request, Opening::kHandshake, std::move(*wrong));
    read.client = client_name(request.params, "clientInfo");
  }
  ASSIGN_OR_RETURN(read.progress_token, progress_token_of(request, Opening::kHandshake));
  read.request = std::move(request);
  return RpcMessage(std::move(read));
}

NoAnswer read_notification(toolway::mcp::Notification notification, const RpcHeaders& headers) {
  NoAnswer read{.method = std::move(notification.method)};
  if (headers.session) read.session = *headers.session;
  if (read.method != "notifications/cancelled") return read;
  const auto* id = member(notification.params, "requestId");
  if (id != nullptr && id->is_string()) read.cancels = id->get<std::string>();
  if (id != nullptr && id->is_number_integer()) read.cancels = id->get<std::int64_t>();
  return read;
}

}  // namespace

tl::expected<RpcMessage, RpcFailure> read_message(std::string_view body,
                                                  const RpcHeaders& headers) {
  const auto arguments = arguments_text_of(body);
  if (body.size() - arguments.size() > kMaxValuesBesides) {
    const auto besides = toolway::mcp::value_count(body) - toolway::mcp::value_count(arguments);
    if (besides > kMaxValuesBesides)
      return tl::unexpected(
          RpcFailure{.status = 413,
                     .id = toolway::mcp::id_at_beginning(body),
                     .error = {.code = toolway::mcp::kInvalidRequestError,
                               .message = fmt::format("the message has about {} values besides "
                                                      "its arguments; the limit is {}",
                                                      besides, kMaxValuesBesides)}});
  }
  std::optional<toolway::mcp::RequestId> id;
  auto decoded = parse_strict_json(body).and_then([&id](Json json) {
    id = toolway::mcp::id_of_refused(json);
    return toolway::mcp::message_of(std::move(json));
  });
  if (!decoded) {
    const bool parse = decoded.error().code == ErrorCode::kMalformedJson;
    return tl::unexpected(
        RpcFailure{.status = 400,
                   .id = std::move(id),
                   .error = {.code = parse ? kParseError : toolway::mcp::kInvalidRequestError,
                             .message = decoded.error().message}});
  }
  if (auto* notification = std::get_if<toolway::mcp::Notification>(&*decoded))
    return RpcMessage(read_notification(std::move(*notification), headers));
  if (auto* answer = std::get_if<toolway::mcp::Answer>(&*decoded)) {
    const auto* id = answer->id ? std::get_if<std::string>(&*answer->id) : nullptr;
    return RpcMessage(ClientAnswer{id != nullptr ? *id : "", std::move(answer->result)});
  }
  auto& request = std::get<Request>(*decoded);
  const bool calls = request.method == "tools/call";
  if (calls && calls::are_heavy_values(arguments)) request.params.erase("arguments");
  auto read = is_stateless(request, headers) ? read_stateless(std::move(request), headers)
                                             : read_stateful(std::move(request), headers);
  if (read && calls) std::get<RpcRequest>(*read).arguments_text = arguments;
  return read;
}

std::string digest_of(const RpcRequest& request) {
  const auto name = toolway::mcp::short_text(request.request.params, "name");
  const auto* arguments = member(request.request.params, "arguments");
  // Of heavy arguments there is only the text.
  const auto& text = request.arguments_text;
  const auto of = arguments == nullptr ? sha256_hex(text.empty() ? "{}" : text)
                                       : tools::matching::arguments_digest(*arguments);
  return sha256_hex(name + "\n" + of);
}

Revision negotiate(const Json& params) {
  const auto* asked = member(params, "protocolVersion");
  const auto named = asked != nullptr && asked->is_string()
                         ? toolway::mcp::parse_revision(asked->get<std::string>())
                         : std::optional<Revision>();
  return named && is_spoken(*named, Opening::kHandshake)
             ? *named
             : toolway::mcp::newest_with(Opening::kHandshake);
}

std::string client_name(const Json& said, const char* field) {
  const auto* info = member(said, field);
  return info == nullptr ? std::string() : toolway::mcp::short_text(*info, "name");
}

Json spoken_revisions() {
  Json names = Json::array();
  for (auto at = toolway::mcp::kRevisions.rbegin(); at != toolway::mcp::kRevisions.rend(); ++at)
    if (*at >= kOldest) names.push_back(toolway::mcp::revision_name(*at));
  return names;
}

Json id_json(const toolway::mcp::RequestId& id) {
  if (const auto* number = std::get_if<std::int64_t>(&id)) return *number;
  return std::get<std::string>(id);
}

std::string answer_text(const std::optional<toolway::mcp::RequestId>& id, const Json& result) {
  return toolway::mcp::encode(toolway::mcp::Answer{.id = id, .result = result});
}

std::string failure_text(const RpcFailure& failure) {
  return toolway::mcp::encode(
      toolway::mcp::Answer{.id = failure.id, .result = tl::unexpected(failure.error)});
}

}  // namespace toolway::gateway::mcp
