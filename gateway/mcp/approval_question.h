#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/json.h"
#include "extensions/grants.h"
#include "gateway/wire/caller.h"
#include "proto/toolway/v1/call.pb.h"

/// The approval of a held call as a question to its own caller, where the rule that holds it lets
/// the requester decide. Pure.
namespace toolway::gateway::mcp {

/// Keys of tools' questions do not begin with `toolway.`.
inline constexpr std::string_view kApprovalKey = "toolway.approve";

/// Nothing: the call does not wait for approval, it is another's, or its caller may not decide
/// about it, or has. `last`: the last event of its log. `policy`: in force; null: none.
std::optional<v1::Question> approval_question(const std::optional<v1::CallEvent>& last,
                                              const wire::Caller& caller,
                                              const extensions::PolicyPtr& policy);

struct Approval {
  bool approve = false;
  std::string reason{};
};
/// What an answer to it says; nothing: neither yes nor no. Errors: why it is none.
tl::expected<std::optional<Approval>, std::string> read_approval(const Json& answer);

}  // namespace toolway::gateway::mcp
