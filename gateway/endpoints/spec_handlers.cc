// /v1/specs: what operators do to the specs in the database.
#include "gateway/endpoints/spec_handlers.h"

#include "base/text.h"
#include "base/try.h"
#include "gateway/operators/operator_identity.h"
#include "gateway/operators/spec_json.h"
#include "gateway/operators/spec_request.h"
#include "persistence/specs/spec_versions.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::specs::SpecStore;

/// The answer that `ask(store)` writes, as Result<OrderedJson>, on a thread that may block.
template <typename Ask>
loop::Task<wire::HttpResult<wire::Response>> asked(const SpecsContext& context, Ask ask) {
  if (context.specs == nullptr)
    co_return wire::refuse(ErrorCode::kStoreUnavailable, "this gateway keeps no specs");
  auto work = [specs = context.specs,
               ask = std::move(ask)](persistence::store::StoreReader&) -> Result<std::string> {
    ASSIGN_OR_RETURN(const auto answer, ask(*specs));
    return to_text(answer);
  };
  auto text = co_await context.threads.run<std::string>(std::move(work));
  if (!text) co_return wire::refuse(operators::spec_problem(std::move(text.error())));
  co_return wire::Response{.body = *std::move(text)};
}

wire::HttpResult<std::int64_t> version_number(const wire::Target& target, std::string_view name) {
  std::int64_t number = 0;
  const auto text = target.query(name);
  if (text && parse_number(*text, number) && number >= 1) return number;
  return wire::refuse(
      wire::invalid_parameter(name, "minimum", "expected a number of the spec's history"));
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> list_specs(const SpecsContext& context,
                                                        const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  // Before the registry, which is replaced after it.
  auto ask = [&registry = context.registry,
              read_up_to = context.read_up_to()](SpecStore& store) -> Result<OrderedJson> {
    ASSIGN_OR_RETURN(const auto specs, store.list());
    return operators::spec_list(specs, *registry.now(), read_up_to);
  };
  co_return co_await asked(context, std::move(ask));
}

loop::Task<wire::HttpResult<wire::Response>> put_specs(const SpecsContext& context,
                                                       const wire::RoutedRequest& routed) {
  using Read = wire::HttpResult<std::vector<persistence::specs::PutSpec>>;
  struct Put {
    Read specs;
    persistence::specs::SpecAuthor author{};
  };
  CO_RETURN_IF_ERROR(routed.target.only({}));
  auto read = [body = std::string(routed.request.body),
               reader = context.read]() -> Result<std::shared_ptr<Put>> {
    auto request = operators::parse_put_request(body);
    if (!request) return std::make_shared<Put>(Put{Read(tl::unexpected(request.error()))});
    return std::make_shared<Put>(
        Put{operators::read_put_request(*request, reader), std::move(request->author)});
  };
  CO_ASSIGN_OR_RETURN(const auto put,
                      co_await context.work.run<std::shared_ptr<Put>>(std::move(read)));
  CO_RETURN_IF_ERROR(put->specs);
  operators::identify(put->author, routed.caller);
  auto ask = [put](SpecStore& store) -> Result<OrderedJson> {
    ASSIGN_OR_RETURN(const auto outcomes, store.put(*put->specs, put->author));
    return operators::put_answer(*put->specs, outcomes);
  };
  co_return co_await asked(context, std::move(ask));
}

loop::Task<wire::HttpResult<wire::Response>> remove_specs(const SpecsContext& context,
                                                          const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto request, operators::parse_remove_request(routed.request.body));
  operators::identify(request.author, routed.caller);
  auto ask = [request = std::move(request)](SpecStore& store) -> Result<OrderedJson> {
    const auto which = request.candidate ? SpecStore::Which::kCandidate : SpecStore::Which::kAll;
    RETURN_IF_ERROR(store.remove(request.names, which, request.author));
    return OrderedJson{{"removed", request.names}};
  };
  co_return co_await asked(context, std::move(ask));
}

loop::Task<wire::HttpResult<wire::Response>> spec_history(const SpecsContext& context,
                                                          const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_RETURN_IF_ERROR(operators::check_spec_name(routed.id));
  auto ask = [name = routed.id](SpecStore& store) -> Result<OrderedJson> {
    ASSIGN_OR_RETURN(const auto changes, store.history(name));
    return operators::history_answer(name, changes);
  };
  co_return co_await asked(context, std::move(ask));
}

loop::Task<wire::HttpResult<wire::Response>> spec_diff(const SpecsContext& context,
                                                       const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({"from", "to"}));
  CO_RETURN_IF_ERROR(operators::check_spec_name(routed.id));
  CO_ASSIGN_OR_RETURN(const auto from, version_number(routed.target, "from"));
  CO_ASSIGN_OR_RETURN(const auto to, version_number(routed.target, "to"));
  auto ask = [name = routed.id, from, to](SpecStore& store) -> Result<OrderedJson> {
    ASSIGN_OR_RETURN(const auto changes, store.history(name));
    ASSIGN_OR_RETURN(const auto fields, persistence::specs::diff_of(changes, name, from, to));
    return operators::diff_answer(name, from, to, fields);
  };
  co_return co_await asked(context, std::move(ask));
}

loop::Task<wire::HttpResult<wire::Response>> roll_spec_back(const SpecsContext& context,
                                                            const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_RETURN_IF_ERROR(operators::check_spec_name(routed.id));
  CO_ASSIGN_OR_RETURN(auto request, operators::parse_rollback_request(routed.request.body));
  operators::identify(request.author, routed.caller);
  auto ask = [name = routed.id,
              request = std::move(request)](SpecStore& store) -> Result<OrderedJson> {
    ASSIGN_OR_RETURN(const auto chosen, store.roll_back(name, request.to, request.author));
    return OrderedJson{{"name", name},
                       {"version", chosen.version},
                       {"digest", chosen.digest},
                       {"back_to", chosen.number}};
  };
  co_return co_await asked(context, std::move(ask));
}

loop::Task<wire::HttpResult<wire::Response>> promote_spec(const SpecsContext& context,
                                                          const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_RETURN_IF_ERROR(operators::check_spec_name(routed.id));
  CO_ASSIGN_OR_RETURN(auto request, operators::parse_promote_request(routed.request.body));
  operators::identify(request.author, routed.caller);
  auto ask = [name = routed.id,
              author = std::move(request.author)](SpecStore& store) -> Result<OrderedJson> {
    ASSIGN_OR_RETURN(const auto digest, store.promote(name, author));
    return OrderedJson{{"name", name}, {"digest", digest}};
  };
  co_return co_await asked(context, std::move(ask));
}

}  // namespace toolway::gateway::endpoints
