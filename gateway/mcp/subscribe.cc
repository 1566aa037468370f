#include "gateway/mcp/subscribe.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "gateway/mcp/offered.h"
#include "gateway/mcp/result_resources.h"
#include "gateway/mcp/result_uri.h"
#include "gateway/mcp/rpc_answer.h"
#include "gateway/mcp/session_tasks.h"
#include "mcp/fields.h"

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::RpcError;
using To = tl::expected<Subscription, RpcError>;

/// The same to the result of a call.
loop::Task<wire::HttpResult<To>> to_result(const RequestScope& of, std::string uri,
                                           std::string call_id) {
  const auto& session_key = of.session.record.session_key();
  const SessionTasks tasks{.context = of.context,
                           .read = of.ports.read_task,
                           .caller = of.routed.caller,
                           .session_key = session_key};
  const auto facts = co_await tasks.find(call_id);
  if (!facts) {
    if (auto refused = result_refused(facts.error().error, uri))
      co_return To(tl::unexpect, std::move(*refused));
    co_return tl::unexpected(facts.error());
  }
  if (has_ended(*facts) && !has_result(*facts)) {
    const auto whole = co_await of.ports.read_result(of.routed.caller, call_id, session_key);
    if (!whole)
      if (auto refused = result_refused(whole.error().error, uri))
        co_return To(tl::unexpect, std::move(*refused));
  }
  const std::uint64_t content = has_ended(*facts) ? 1 : 0;
  co_return To(Subscription{.uri = std::move(uri), .content = content});
}

wire::Response done(const RpcRequest& request) {
  return json_response(answer_text(request.request.id, Json::object()));
}

}  // namespace

bool is_of_subscriptions(std::string_view method, bool stateless) {
  return !stateless && (method == "resources/subscribe" || method == "resources/unsubscribe");
}

loop::Task<wire::HttpResult<To>> subscription_to(const RequestScope& of, std::string uri) {
  if (uri.size() > kMaxSubscribedUri)
    co_return To(tl::unexpect,
                 RpcError{.code = toolway::mcp::kInvalidParams,
                          .message = fmt::format("a URI to subscribe to has {} bytes at most",
                                                 kMaxSubscribedUri)});
  if (auto call = call_of_result(uri))
    co_return co_await to_result(of, std::move(uri), std::move(*call));
  const auto seen = of.context.offers.of(of.session.namespaces, of.routed.grants);
  const auto content = seen->content_of(uri);
  if (content == 0) co_return To(tl::unexpect, no_such_resource(uri));
  co_return To(Subscription{.uri = std::move(uri), .content = content});
}

loop::Task<wire::HttpResult<wire::Response>> answer_subscribe(const RequestScope& of,
                                                              const RpcRequest& request) {
  const auto* uri = toolway::mcp::member(request.request.params, "uri");
  if (uri == nullptr || !uri->is_string())
    co_return wrong_params(request, "params.uri must be a text");
  auto& marks = of.context.marks;
  auto named = uri->get<std::string>();
  Result<void> written;
  if (request.request.method == "resources/unsubscribe") {
    // Of one that has gone, too.
    written = co_await marks.unsubscribe(request.session, std::move(named));
  } else {
    CO_ASSIGN_OR_RETURN(auto to, co_await subscription_to(of, std::move(named)));
    if (!to) co_return failed(request, std::move(to.error()));
    written = co_await marks.subscribe(request.session, *std::move(to));
  }
  if (written) co_return done(request);
  if (written.error().code == ErrorCode::kInvalidRequest)
    co_return wrong_params(request, std::move(written.error().message));
  co_return wire::refuse(wire::bus_problem(std::move(written.error())));
}

}  // namespace toolway::gateway::mcp
