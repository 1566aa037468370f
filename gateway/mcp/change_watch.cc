#include "gateway/mcp/change_watch.h"

#include <utility>

#include "base/try.h"
#include "gateway/mcp/result_resources.h"
#include "gateway/mcp/result_uri.h"
#include "gateway/mcp/rpc_answer.h"
#include "gateway/mcp/session_tasks.h"
#include "gateway/mcp/tool_result.h"

namespace toolway::gateway::mcp {
namespace {

/// Of the calls whose results one stream awaits: what it may ask the bus for in a second.
constexpr std::size_t kMaxCallsLookedFor = 32;
constexpr const char* kUpdated = "notifications/resources/updated";

}  // namespace

ChangeWatch::ChangeWatch(Of of, Wanted wanted, Json meta)
    : of_(std::move(of)), wanted_(std::move(wanted)), meta_(std::move(meta)) {}

void ChangeWatch::tell(const char* method, Due& due, Json params) const {
  if (!meta_.is_null()) params["_meta"] = meta_;
  due.messages.push_back(notification_text(method, std::move(params)));
}

loop::Task<Result<void>> ChangeWatch::begin() {
  CO_RETURN_IF_ERROR(co_await look());
  begun_ = true;
  co_return Result<void>();
}

loop::Task<Result<Due>> ChangeWatch::look() {
  const auto& context = of_.context;
  auto subscriptions = wanted_.subscriptions;
  if (!of_.mcp_session.empty()) {
    CO_ASSIGN_OR_RETURN(const auto mark, co_await context.marks.of(of_.mcp_session));
    if (mark->ended) co_return Due{.over = true};
    subscriptions = SubscriptionsPtr(mark, &mark->resources);
  }
  const auto session = co_await context.sessions.find_open(of_.caller, of_.session_id);
  if (!session) {
    const auto& error = session.error().error;
    const bool over =
        error.code == ErrorCode::kUnknownSession || error.code == ErrorCode::kSessionClosed;
    if (over) co_return Due{.over = true};
    co_return fail(error);
  }
  const auto& session_key = (*session)->record.session_key();
  const auto grants = context.plan.policies.grants_of(of_.caller);
  Due due;
  if (wanted_.tools) {
    CO_ASSIGN_OR_RETURN(const auto list,
                        co_await context.tools.of((*session)->namespaces, list_format(of_.revision),
                                                  session_key, grants));
    if (std::exchange(tools_, list->digest) != list->digest && begun_)
      tell("notifications/tools/list_changed", due);
  }
  const auto seen = context.offers.of((*session)->namespaces, grants);
  const bool others = begun_ && subscriptions && told_.follow(std::move(subscriptions));
  if (others || seen->id() != offers_) look_at_offers(*seen, due);
  if (begun_) co_await look_for_results(session_key, due);
  co_return due;
}

void ChangeWatch::look_at_offers(const SeenOffers& seen, Due& due) {
  offers_ = seen.id();
  const bool prompts = std::exchange(prompts_, seen.prompts_digest()) != seen.prompts_digest();
  const bool resources =
      std::exchange(resources_, seen.resources_digest()) != seen.resources_digest();
  if (!begun_) return;
  if (prompts && wanted_.prompts) tell("notifications/prompts/list_changed", due);
  if (resources && wanted_.resources) tell("notifications/resources/list_changed", due);
  for (auto& uri : told_.changed(seen)) tell(kUpdated, due, {{"uri", std::move(uri)}});
}

loop::Task<void> ChangeWatch::look_for_results(std::string session_key, Due& due) {
  const auto calls = told_.awaited(kMaxCallsLookedFor);
  if (calls.empty()) co_return;
  const SessionTasks tasks{.context = of_.context,
                           .read = of_.read_task,
                           .caller = of_.caller,
                           .session_key = std::move(session_key)};
  for (const auto& call : calls) {
    const auto facts = co_await tasks.find(call);
    if (!facts || !has_ended(*facts)) continue;
    told_.ended(call);
    if (has_result(*facts)) tell(kUpdated, due, {{"uri", result_uri(call)}});
  }
}

}  // namespace toolway::gateway::mcp
