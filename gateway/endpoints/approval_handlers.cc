#include "gateway/endpoints/approval_handlers.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/try.h"
#include "gateway/calls/approval_json.h"
#include "gateway/calls/reason_body.h"
#include "gateway/loop/give_way.h"
#include "gateway/wire/json_text.h"
#include "proto/approvals.h"
#include "proto/subjects.h"

namespace toolway::gateway::endpoints {
namespace {

using persistence::store::CallAndLog;
using persistence::store::HeldCall;

constexpr std::chrono::seconds kRecordWait{1};
constexpr std::chrono::milliseconds kListRecordWait{100};
/// Held calls that one request looks at: others' are passed over.
constexpr std::size_t kMaxLooks = 2000;

bool is_own(const wire::Caller& caller, const v1::CallRequest& request) {
  return wire::owns(caller, request.tenant_id(), request.user_id());
}

/// By role or permission.
bool may_decide(const ApprovalsContext& context, const wire::Caller& caller,
                const v1::CallRequest& request) {
  const auto policy = context.policies.in_force();
  const auto& hold = request.hold();
  return extensions::may_decide(policy ? policy->policy : nullptr, caller,
                                std::vector<std::string>(hold.roles().begin(), hold.roles().end()),
                                request.labels().namespace_(), request.labels().tool());
}

/// Why the caller does not decide about this call.
wire::HttpResult<void> check_may_decide(const ApprovalsContext& context, const wire::Caller& caller,
                                        const v1::CallRequest& request) {
  const bool own = is_own(caller, request);
  const bool may = request.has_hold() && may_decide(context, caller, request);
  // To others, a call about which they may not decide does not exist.
  if (caller.tenant_id != request.tenant_id() || (!own && !may))
    return wire::refuse(ErrorCode::kUnknownCall,
                        "there is no call with this id about which you "
                        "may decide");
  if (!request.has_hold())
    return wire::refuse(ErrorCode::kApprovalDecided, "the call was never held for approval");
  if (own && !request.hold().requester_may_decide())
    return wire::refuse(ErrorCode::kPermissionDenied,
                        "you cannot approve or deny your own call: ask another approver");
  if (!may)
    return wire::refuse(ErrorCode::kPermissionDenied,
                        "you may not decide about this call: ask someone who may, as `explain` "
                        "says");
  return {};
}

/// The call as it is recorded; waits for one that is not recorded yet.
loop::Task<wire::HttpResult<CallAndLog>> find_held(const CallSearch& search, std::string_view id) {
  CO_ASSIGN_OR_RETURN(const auto call_id, CallId::parse(id));
  const auto due = search.clock.monotonic();
  for (bool looked = false;; looked = true) {
    auto read = [id = call_id](persistence::store::StoreReader& store) {
      return store.call_and_log(id);
    };
    CO_ASSIGN_OR_RETURN(auto found,
                        co_await search.store.run<std::optional<CallAndLog>>(std::move(read), due));
    if (found) co_return std::move(*found);
    if (looked)
      co_return wire::refuse(ErrorCode::kUnknownCall,
                             "there is no call with this id about which you may decide");
    const auto recorded = co_await mailbox::await_recorded(search.recorded, proto::kCallsStream,
                                                           "call.>", kRecordWait);
    if (recorded != mailbox::Recorded::kAll)
      co_return wire::refuse(ErrorCode::kCollectorBehind,
                             "the latest calls are not recorded yet; decide about this one again");
  }
}

enum class Decision { kApprove, kDeny };

loop::Task<wire::HttpResult<wire::Response>> vote_of(const ApprovalsContext& context,
                                                     const wire::RoutedRequest& routed,
                                                     Decision decision) {
  CO_RETURN_IF_ERROR(routed.target.only({}));
  CO_ASSIGN_OR_RETURN(auto reason, calls::parse_reason(routed.request.body, context.policies));
  Vote vote{.approve = decision == Decision::kApprove, .reason = std::move(reason)};
  CO_ASSIGN_OR_RETURN(const auto decided,
                      co_await vote_on(context, routed.caller, routed.id, std::move(vote)));
  co_return wire::Response{.body = calls::decided_json(decided)};
}

constexpr std::array kStates{proto::held_state::kWaiting, proto::held_state::kApproved,
                             proto::held_state::kDenied,  proto::held_state::kExpired,
                             proto::held_state::kStale,   proto::held_state::kCancelled};
/// Those that a person has decided about.
constexpr std::string_view kDecided = "decided";

/// What the list is asked for.
struct ListQuery {
  std::vector<std::string> states;
  std::optional<CallId> after;
  std::size_t limit = 0;
};

wire::HttpResult<std::vector<std::string>> parse_states(std::optional<std::string_view> state) {
  if (!state) return std::vector{std::string(proto::held_state::kWaiting)};
  if (*state == kDecided)
    return std::vector{std::string(proto::held_state::kApproved),
                       std::string(proto::held_state::kDenied)};
  if (std::ranges::find(kStates, *state) == kStates.end())
    return wire::refuse(
        wire::invalid_parameter("state", "enum",
                                fmt::format("expected one of {}, {} (approved or denied)",
                                            fmt::join(kStates, ", "), kDecided)));
  return std::vector{std::string(*state)};
}

wire::HttpResult<ListQuery> parse_query(const wire::Target& target) {
  RETURN_IF_ERROR(target.only({"state", "after", "limit"}));
  ListQuery asked;
  ASSIGN_OR_RETURN(asked.states, parse_states(target.query("state")));
  ASSIGN_OR_RETURN(asked.limit, wire::parse_limit(target, 100, 1000));
  if (const auto after = target.query("after")) {
    auto id = CallId::parse(*after);
    if (!id) return wire::refuse(ErrorCode::kInvalidCursor, "?after= is not a `next` of this list");
    asked.after = std::move(*id);
  }
  return asked;
}

}  // namespace

loop::Task<wire::HttpResult<calls::Decided>> vote_on(const ApprovalsContext& context,
                                                     const wire::Caller& caller,
                                                     std::string call_id, Vote given) {
  CO_ASSIGN_OR_RETURN(auto found, co_await find_held(context.search, call_id));
  CO_RETURN_IF_ERROR(check_may_decide(context, caller, found.request));
  v1::Vote vote;
  vote.set_approve(given.approve);
  vote.set_user_id(caller.user_id);
  vote.set_method(caller.method);
  vote.set_key_id(caller.key_id);
  vote.set_at_us(to_unix_us(context.search.clock.wall()));
  vote.set_reason(std::move(given.reason));
  co_return co_await calls::decide(context.decide, std::move(found.request), vote);
}

loop::Task<wire::HttpResult<wire::Response>> approve_call(const ApprovalsContext& context,
                                                          const wire::RoutedRequest& routed) {
  co_return co_await vote_of(context, routed, Decision::kApprove);
}

loop::Task<wire::HttpResult<wire::Response>> deny_call(const ApprovalsContext& context,
                                                       const wire::RoutedRequest& routed) {
  co_return co_await vote_of(context, routed, Decision::kDeny);
}

loop::Task<wire::HttpResult<wire::Response>> list_approvals(const ApprovalsContext& context,
                                                            const wire::RoutedRequest& routed) {
  const auto due = context.search.clock.monotonic();
  CO_ASSIGN_OR_RETURN(auto asked, parse_query(routed.target));
  const auto recorded = co_await mailbox::await_recorded(
      context.search.recorded, proto::kCallsStream, "call.held.>", kListRecordWait);
  const persistence::store::ApprovalFilter filter{.tenant = routed.caller.tenant_id,
                                                  .states = std::move(asked.states)};
  wire::Response response;
  std::string& out = response.body;
  wire::ObjectText object(out);
  object.begin("approvals");
  wire::ListText list(out);
  std::size_t shown = 0;
  std::size_t looked = 0;
  bool more = true;
  while (more && shown < asked.limit && looked < kMaxLooks &&
         out.size() < persistence::store::kMaxPageBytes) {
    auto read = [filter = filter, after = asked.after,
                 limit = asked.limit](persistence::store::StoreReader& store) {
      return store.held_calls(filter, after, limit);
    };
    CO_ASSIGN_OR_RETURN(
        auto page, co_await answers::read_held_page<HeldCall>(context.pages, due, std::move(read)));
    more = page.rows.more;
    for (const auto& held : page.rows) {
      if (shown == asked.limit) {
        more = true;
        break;
      }
      ++looked;
      auto id = CallId::parse(held.call.request.call_id());
      if (id) asked.after = std::move(*id);
      if (!calls::is_as_said(held) || !check_may_decide(context, routed.caller, held.call.request))
        continue;
      ++shown;
      list.next();
      calls::write_approval(out, held);
    }
    if (page.rows.empty()) more = false;
    response.memory = std::move(page.memory);
    co_await loop::give_way();
  }
  list.end();
  object.text_or_null("next", more && asked.after ? asked.after->text() : std::string());
  object.boolean("behind", recorded != mailbox::Recorded::kAll);
  object.end();
  co_return response;
}

}  // namespace toolway::gateway::endpoints
