#include "gateway/mcp/agreed_session.h"

#include "base/try.h"

namespace toolway::gateway::mcp {
namespace {

/// `mcp` is the caller's own.
constexpr std::string_view kOwnSession = "mcp";

}  // namespace

std::string session_id_of(const wire::RoutedRequest& routed) {
  return routed.id.empty() ? std::string(kOwnSession) : routed.id;
}

std::string session_header(const wire::RoutedRequest& routed) {
  const auto* head = routed.request.head;
  const auto found = head == nullptr ? std::nullopt : head->find("MCP-Session-Id");
  return std::string(found.value_or(""));
}

std::optional<wire::Problem> refuse_without_handshake(const wire::RoutedRequest& routed) {
  const auto* head = routed.request.head;
  const auto named = head == nullptr ? std::nullopt : head->find("MCP-Protocol-Version");
  const auto revision =
      named ? toolway::mcp::parse_revision(*named) : std::optional<toolway::mcp::Revision>();
  if (!revision || toolway::mcp::rules_of(*revision).opening == toolway::mcp::Opening::kHandshake)
    return std::nullopt;
  wire::Problem problem{
      .error = {ErrorCode::kMethodNotAllowed, "this revision of the protocol accepts only POST"}};
  problem.allow = "POST";
  return problem;
}

loop::Task<wire::HttpResult<tl::expected<AgreedSession, RpcFailure>>> agreed_session(
    const McpContext& context, const wire::RoutedRequest& routed, std::string sealed,
    std::optional<toolway::mcp::RequestId> id) {
  using Agreed = tl::expected<AgreedSession, RpcFailure>;
  RpcFailure failure{.status = 400,
                     .id = std::move(id),
                     .error = {.code = toolway::mcp::kInvalidRequestError,
                               .message = "send initialize first; over HTTP, each request after "
                                          "it has the MCP-Session-Id of its answer"}};
  if (sealed.empty()) co_return Agreed(tl::unexpect, std::move(failure));
  failure.status = 404;
  failure.error.message = "there is no such session: send initialize again";
  auto opened = context.opened.open(context.seal_keys, routed.caller, sealed, context.clock);
  if (!opened || opened->session_id != session_id_of(routed))
    co_return Agreed(tl::unexpect, std::move(failure));
  auto mark = co_await context.marks.of(std::move(sealed));
  if (!mark) co_return wire::refuse(wire::bus_problem(std::move(mark.error())));
  if ((*mark)->ended) co_return Agreed(tl::unexpect, std::move(failure));
  co_return Agreed(AgreedSession{std::move(*opened), (*mark)->level});
}

}  // namespace toolway::gateway::mcp
