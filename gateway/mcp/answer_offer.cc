#include "gateway/mcp/answer_offer.h"

#include <utility>

#include "base/try.h"
#include "gateway/mcp/offered.h"
#include "gateway/mcp/result_resources.h"
#include "gateway/mcp/result_uri.h"
#include "gateway/mcp/rpc_answer.h"

namespace toolway::gateway::mcp {
namespace {

using Answered = tl::expected<Json, toolway::mcp::RpcError>;

/// What is made of it on the way: its values, and the text.
constexpr std::size_t kMemoryPerByte = 3;

bool is_small(std::size_t bytes) { return bytes <= loop::WorkPool::kSmall; }

loop::Task<Result<Answered>> answered_of(loop::WorkPool& threads, SeenOffersPtr seen,
                                         const RpcRequest& request, std::size_t bytes) {
  const auto& method = request.request.method;
  if (is_small(bytes))
    co_return answer_offered({.seen = *seen, .stateless = request.stateless}, method,
                             request.request.params);
  auto work = [seen = std::move(seen), method, params = request.request.params,
               stateless = request.stateless]() -> Result<Answered> {
    return answer_offered({.seen = *seen, .stateless = stateless}, method, params);
  };
  co_return co_await threads.run<Answered>(std::move(work));
}

loop::Task<Result<std::string>> text_of(loop::WorkPool& threads, const RpcRequest& request,
                                        Json result, std::size_t bytes) {
  if (is_small(bytes)) co_return answer_text(request.request.id, result);
  auto work = [id = request.request.id, result = std::move(result)]() -> Result<std::string> {
    return answer_text(id, result);
  };
  co_return co_await threads.run<std::string>(std::move(work));
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> answer_offer(const RequestScope& of,
                                                          const RpcRequest& request) {
  const auto& method = request.request.method;
  const auto& params = request.request.params;
  if (method == "resources/read") {
    auto call = call_of_result(uri_of(params));
    if (call) co_return co_await read_result_resource(of, request, std::move(*call));
  }
  if (const auto known = answer_about_results(method, params, request.stateless))
    co_return json_response(answer_text(request.request.id, *known));
  auto seen = of.context.offers.of(of.session.namespaces, of.routed.grants);
  const auto bytes = answer_bytes(*seen, method, params);
  wire::Response response;
  CO_ASSIGN_OR_RETURN(response.memory,
                      of.context.feeds.memory.take(wire::MemoryUse::kAnswer,
                                                   is_small(bytes) ? 0 : kMemoryPerByte * bytes));
  auto& threads = of.context.plan.threads;
  CO_ASSIGN_OR_RETURN(auto answered,
                      co_await answered_of(threads, std::move(seen), request, bytes));
  if (!answered) co_return failed(request, std::move(answered.error()));
  if (method == "resources/templates/list")
    (*answered)["resourceTemplates"].push_back(result_template());
  if (method == "resources/list") {
    CO_ASSIGN_OR_RETURN(const bool listed, co_await list_results(of, request, *answered));
    if (!listed) co_return wrong_params(request, "this cursor was not made here");
  }
  CO_ASSIGN_OR_RETURN(response.body,
                      co_await text_of(threads, request, *std::move(answered), bytes));
  co_return response;
}

}  // namespace toolway::gateway::mcp
