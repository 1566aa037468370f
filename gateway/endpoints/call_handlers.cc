#include "gateway/endpoints/call_handlers.h"

#include "base/try.h"
#include "gateway/answers/page_answer.h"
#include "gateway/calls/call_json.h"
#include "gateway/calls/call_query.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::store::RecordedCall;

/// How long a list of a session's calls waits for what is accepted and not recorded yet; and one of
/// all of a user's, whose wait is for every user's calls.
constexpr std::chrono::seconds kRecordWait{1};
constexpr std::chrono::milliseconds kAllRecordWait{100};

/// What the spec that admitted a call says, while it is in force here.
std::string version_of(const tools::model::LiveRegistry& live,
                       const persistence::store::RecordedCall& call) {
  const auto registry = live.now();
  const auto& labels = call.labels;
  const auto stable = registry->find(labels.namespace_(), labels.tool());
  if (stable && stable->digest == call.spec_digest) return stable->spec().version;
  const auto* candidate = registry->candidate_of(labels.namespace_(), labels.tool());
  const bool is_it = candidate != nullptr && candidate->tool->digest == call.spec_digest;
  return is_it ? candidate->tool->spec().version : std::string();
}

/// The cursor of the page after `page`; empty: it is the last one.
std::string next_of(const persistence::store::Page<RecordedCall>& page) {
  if (!page.more) return {};
  return page.looked_to.empty() ? page.back().call_id : page.looked_to;
}

loop::Task<wire::Response> calls_page(const CallsContext& context,
                                      answers::HeldPage<RecordedCall> page,
                                      mailbox::Recorded recorded) {
  answers::PageFrame frame{
      .list = "calls", .next = next_of(page.rows), .behind = recorded != mailbox::Recorded::kAll};
  auto write = [&registry = context.registry](std::string& out, const RecordedCall& call) {
    out += calls::call_json(call, calls::CallForm::kGet, version_of(registry, call));
  };
  co_return co_await answers::page_answer(std::move(page), std::move(frame), std::move(write));
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> show_call(const CallsContext& context,
                                                       const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto call, co_await find_named_call(context.search, routed));
  CO_ASSIGN_OR_RETURN(auto memory, hold_call(context.search.memory, call));
  co_await bring_up_to_date(context.search.bus, call);
  co_return wire::Response{
      .body = calls::call_json(call, calls::CallForm::kGet, version_of(context.registry, call)),
      .memory = std::move(memory)};
}

loop::Task<wire::HttpResult<wire::Response>> list_calls(const CallsContext& context,
                                                        const wire::RoutedRequest& routed) {
  const auto due = context.pages.clock.monotonic();
  CO_RETURN_IF_ERROR(routed.target.only({"state", "limit", "before"}));
  const auto limit = wire::parse_limit(routed.target, 100, 1000);
  CO_RETURN_IF_ERROR(limit);
  const auto state = calls::parse_state(routed.target);
  CO_RETURN_IF_ERROR(state);
  CO_ASSIGN_OR_RETURN(const auto before, calls::parse_before(routed.target));
  auto session = co_await context.sessions.find(routed.caller, routed.id);
  CO_RETURN_IF_ERROR(session);
  const auto recorded = co_await mailbox::await_session_recorded(context.search.recorded,
                                                                 (*session)->key, kRecordWait);
  auto read = [key = (*session)->key, state = *state, before,
               limit = *limit](persistence::store::StoreReader& store) {
    return store.calls_of_session(key, state, before, limit);
  };
  CO_ASSIGN_OR_RETURN(auto page, co_await answers::read_held_page<RecordedCall>(context.pages, due,
                                                                                std::move(read)));
  co_return co_await calls_page(context, std::move(page), recorded);
}

loop::Task<wire::HttpResult<wire::Response>> list_user_calls(const CallsContext& context,
                                                             const wire::RoutedRequest& routed) {
  const auto due = context.pages.clock.monotonic();
  CO_ASSIGN_OR_RETURN(auto query,
                      calls::parse_call_query(routed.target, context.pages.clock.wall()));
  query.filter.tenant_id = routed.caller.tenant_id;
  query.filter.user_id = routed.caller.user_id;
  if (!query.session.empty()) {
    CO_ASSIGN_OR_RETURN(const auto session,
                        co_await context.sessions.find(routed.caller, query.session));
    query.filter.session = session->key;
  }
  const auto recorded =
      query.filter.session
          ? co_await mailbox::await_session_recorded(context.search.recorded, *query.filter.session,
                                                     kRecordWait)
          : co_await mailbox::await_all_recorded(context.search.recorded, kAllRecordWait);
  auto read = [query = std::move(query)](persistence::store::StoreReader& store) {
    return store.calls_of_user(query.filter, query.before, query.limit);
  };
  CO_ASSIGN_OR_RETURN(auto page, co_await answers::read_held_page<RecordedCall>(context.pages, due,
                                                                                std::move(read)));
  co_return co_await calls_page(context, std::move(page), recorded);
}

}  // namespace toolway::gateway::endpoints
