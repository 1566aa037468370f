#include "gateway/auth/on_behalf.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/try.h"
#include "extensions/seal.h"
#include "gateway/auth/authorize.h"

namespace toolway::gateway::auth {
namespace {

constexpr std::string_view kPurpose = "turn";

tl::unexpected<wire::Problem> unauthenticated(std::string message) {
  return wire::refuse(
      wire::Problem{.error = Error{ErrorCode::kUnauthenticated, std::move(message)},
                    .challenge = "Bearer realm=\"toolway\", error=\"invalid_token\""});
}

tl::unexpected<wire::Problem> not_a_turn(std::string_view why) {
  return unauthenticated("the header X-Toolway-On-Behalf has no token of a turn: " +
                         std::string(why));
}

}  // namespace

std::string seal_turn(const SealKeys& keys, const TurnToken& token, WallTime expires) {
  const auto& caller = token.caller;
  const Json content{{"tenant", caller.tenant_id},
                     {"user", caller.user_id},
                     {"key", caller.key_id},
                     {"roles", caller.roles},
                     {"namespaces", caller.namespaces},
                     {"method", caller.method},
                     {"session", token.acting.session_id},
                     {"turn", token.acting.turn}};
  return extensions::seal(keys, kPurpose, to_text(content), expires);
}

wire::HttpResult<TurnToken> open_turn(const SealKeys& keys, std::string_view text, WallTime now) {
  const auto opened = extensions::open_sealed(keys, kPurpose, text, now);
  if (!opened) return not_a_turn(opened.error().message);
  // Only gateways write these, so its members are there.
  const auto content = parse_json(*opened);
  if (!content) return not_a_turn(content.error().message);
  const auto text_of = [&](const char* name) { return content->value(name, std::string()); };
  TurnToken token;
  token.caller.tenant_id = text_of("tenant");
  token.caller.user_id = text_of("user");
  token.caller.key_id = text_of("key");
  token.caller.roles = content->value("roles", std::vector<std::string>());
  token.caller.namespaces = content->value("namespaces", std::vector<std::string>());
  token.caller.method = text_of("method");
  token.acting = {text_of("session"), text_of("turn")};
  return token;
}

wire::HttpResult<void> may_act(const wire::Caller& process, const extensions::GrantsPtr& grants,
                               wire::Route route, bool asked) {
  if (!asked || process.method == extensions::kByOperator) return {};
  const std::string_view permission =
      route == wire::Route::kPostMessage ? extensions::kContinueTurns : extensions::kActForTurns;
  const auto granted = [&](std::string_view one) { return grants && grants->role_grants(one); };
  if (granted(permission)) return {};
  if (!granted(extensions::kActForTurns) && !granted(extensions::kContinueTurns))
    return unauthenticated(
        fmt::format("the token of a turn, in the header X-Toolway-On-Behalf, counts only together "
                    "with the credential of a chat process, whose roles grant {}",
                    permission));
  return wire::refuse(
      ErrorCode::kPermissionDenied,
      fmt::format("to act for the user of a turn, a chat process needs permission {}, which none "
                  "of its roles grants: the policy's `roles` do",
                  permission));
}

wire::HttpResult<void> needs_no_turn(wire::Route route, const extensions::GrantsPtr& grants) {
  if (is_public(route) || !grants || !grants->only_for_turns()) return {};
  return unauthenticated(
      "this credential of a chat process counts only together with the token of a turn, in the "
      "header X-Toolway-On-Behalf");
}

wire::HttpResult<void> stays_in_session(wire::Route route, std::string_view id,
                                        const wire::Acting& acting) {
  switch (route) {
    case wire::Route::kPostToolCalls:
    case wire::Route::kPostMessage:
    case wire::Route::kSessionTools:
      if (id == acting.session_id) return {};
      return wire::refuse(ErrorCode::kUnknownSession, "this is not the session of the turn");
    case wire::Route::kShowCall:
    case wire::Route::kCallEvents:
    case wire::Route::kCancelCall: return {};  // they look at the call's session: check_session
    default:
      return wire::refuse(ErrorCode::kPermissionDenied,
                          "a turn calls the tools of its session, looks at calls and cancels them, "
                          "and nothing else");
  }
}

}  // namespace toolway::gateway::auth
