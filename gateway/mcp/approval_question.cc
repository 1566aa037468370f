#include "gateway/mcp/approval_question.h"

#include <fmt/format.h>

#include <algorithm>

#include "mcp/fields.h"
#include "proto/approvals.h"
#include "proto/qualified_name.h"
#include "proto/questions.h"

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::member;

constexpr std::size_t kMaxReason = 1024;

Json params_of(const v1::CallEvent& last) {
  return {{"message",
           fmt::format("Approve this call of {}? {} holds it until someone has.",
                       proto::qualified_name(last.labels()), proto::hold_of(last).because())},
          {"requestedSchema",
           {{"type", "object"},
            {"properties",
             {{"approve",
               {{"type", "boolean"},
                {"title", "Approve"},
                {"description", "true: it runs; false: it is denied, and ends"}}},
              {"reason", {{"type", "string"}, {"title", "Reason"}, {"maxLength", kMaxReason}}}}},
            {"required", {"approve"}}}}};
}

bool has_voted(const v1::CallEvent& last, const std::string& user_id) {
  return std::ranges::any_of(last.approval_decided().votes(),
                             [&](const v1::Vote& vote) { return vote.user_id() == user_id; });
}

}  // namespace

std::optional<v1::Question> approval_question(const std::optional<v1::CallEvent>& last,
                                              const wire::Caller& caller,
                                              const extensions::PolicyPtr& policy) {
  if (!last || proto::approval_state(*last) != proto::ApprovalState::kWaiting) return std::nullopt;
  const auto& hold = proto::hold_of(*last);
  if (!hold.requester_may_decide() || !wire::owns(caller, last->tenant_id(), last->user_id()) ||
      has_voted(*last, caller.user_id))
    return std::nullopt;
  const std::vector<std::string> roles(hold.roles().begin(), hold.roles().end());
  const auto& labels = last->labels();
  if (!extensions::may_decide(policy, caller, roles, labels.namespace_(), labels.tool()))
    return std::nullopt;
  v1::Question question;
  question.set_key(std::string(kApprovalKey));
  question.set_method(std::string(proto::kElicit));
  question.set_params(to_text(params_of(*last)));
  return question;
}

tl::expected<std::optional<Approval>, std::string> read_approval(const Json& answer) {
  const auto action = toolway::mcp::short_text(answer, "action");
  if (action == "cancel") return std::nullopt;
  if (action == "decline") return Approval{.approve = false, .reason = "its caller declined"};
  if (action != "accept")
    return tl::unexpected(std::string("`action` is accept, decline or cancel"));
  const auto* content = member(answer, "content");
  const auto* approve = content != nullptr ? member(*content, "approve") : nullptr;
  if (approve == nullptr || !approve->is_boolean())
    return tl::unexpected(
        std::string("an answer that accepts has `content` with `approve`: true or false"));
  Approval approval{.approve = approve->get<bool>()};
  const auto* reason = member(*content, "reason");
  if (reason == nullptr || reason->is_null()) return approval;
  if (!reason->is_string() || reason->get_ref<const std::string&>().size() > kMaxReason)
    return tl::unexpected(std::string("`reason` is a text of at most 1024 bytes"));
  approval.reason = reason->get<std::string>();
  return approval;
}

}  // namespace toolway::gateway::mcp
