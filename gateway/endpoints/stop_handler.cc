// POST /v1/sessions/{s}/stop
#include "gateway/endpoints/stop_handler.h"

#include "base/try.h"
#include "gateway/endpoints/cancel_handler.h"
#include "gateway/endpoints/turn_start.h"
#include "tools/builtin/turn_spec.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::store::CallFilter;
using persistence::store::CallState;
using persistence::store::RecordedCall;

constexpr std::chrono::seconds kRecordWait{1};

/// The oldest turn of a conversation among the calls that `filter` finds; empty: there is none. On
/// a thread that reads the store.
Result<std::string> oldest_turn(persistence::store::StoreReader& store, const CallFilter& filter) {
  constexpr std::size_t kPageRows = 50;  // above the limit of turns that wait
  constexpr int kMaxPages = 20;
  std::string oldest;
  std::optional<CallId> before;
  for (int page_number = 0; page_number < kMaxPages; ++page_number) {
    ASSIGN_OR_RETURN(const auto page, store.calls_of_user(filter, before, kPageRows));
    for (const auto& call : page) {
      const auto arguments = parse_json(call.arguments);
      if (arguments && !tools::builtin::turn::stands_alone(*arguments)) oldest = call.call_id;
    }
    if (!page.more || (page.empty() && page.looked_to.empty())) break;
    ASSIGN_OR_RETURN(before,
                     CallId::parse(page.looked_to.empty() ? page.back().call_id : page.looked_to));
  }
  return oldest;
}

Result<std::string> turn_to_stop(persistence::store::StoreReader& store, CallFilter filter) {
  const auto& spec = tools::builtin::turn_tool()->spec();
  filter.tool = spec.name;
  filter.namespace_ = spec.ns;
  // In this order: one that begins in between is seen.
  filter.state = CallState::kQueued;
  ASSIGN_OR_RETURN(auto queued, oldest_turn(store, filter));
  filter.state = CallState::kRunning;
  ASSIGN_OR_RETURN(auto running, oldest_turn(store, filter));
  return running.empty() ? queued : running;
}

/// Empty: there is none.
loop::Task<wire::HttpResult<std::string>> turn_that_waits(const CallSearch& search,
                                                          const wire::Caller& caller,
                                                          SessionKey session) {
  const auto recorded =
      co_await mailbox::await_session_recorded(search.recorded, session, kRecordWait);
  CallFilter filter{.tenant_id = caller.tenant_id, .user_id = caller.user_id, .session = session};
  auto read = [filter = std::move(filter)](persistence::store::StoreReader& store) {
    return turn_to_stop(store, filter);
  };
  CO_ASSIGN_OR_RETURN(auto turn, co_await search.store.run<std::string>(std::move(read)));
  if (!turn.empty() || recorded == mailbox::Recorded::kAll) co_return std::move(turn);
  if (recorded == mailbox::Recorded::kNotYet)
    co_return wire::refuse(ErrorCode::kCollectorBehind,
                           "the latest calls are not recorded yet, and a turn may be among them; "
                           "ask again");
  co_return wire::refuse(ErrorCode::kBusUnavailable,
                         "the message bus does not answer, so this gateway cannot tell whether a "
                         "turn was accepted");
}

}  // namespace

loop::Task<wire::HttpResult<wire::Response>> stop_turn(
    const MessagesContext& context, const CallSearch& search, const calls::StreamSearch& streams,
    const calls::CancelContext& cancel, const extensions::chain::PolicyBoard& policies,
    const wire::RoutedRequest& routed) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(const auto session, co_await context.sessions.find(routed.caller, routed.id));
  CO_ASSIGN_OR_RETURN(const auto found, co_await current_conversation(context, session->key));
  std::string turn = found ? found->turn : std::string();
  if (turn.empty()) {
    CO_ASSIGN_OR_RETURN(turn, co_await turn_that_waits(search, routed.caller, session->key));
  }
  if (turn.empty())
    co_return wire::refuse(ErrorCode::kNotFound, "no turn of this session runs or waits");
  const wire::RoutedRequest of_turn{routed.request, routed.target, routed.caller,
                                    turn,           routed.grants, routed.acting};
  co_return co_await post_cancel(search, streams, cancel, policies, of_turn);
}

}  // namespace toolway::gateway::endpoints
