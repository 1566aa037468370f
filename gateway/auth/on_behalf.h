#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/seal_keys.h"
#include "extensions/grants.h"
#include "gateway/wire/problem.h"
#include "gateway/wire/route.h"
#include "gateway/wire/routed_request.h"

/// Turns of the chat engine act for the user who began them: a gateway seals who that is into the
/// turn's call, and takes it back from the chat process.
namespace toolway::gateway::auth {

/// Whose turn it is.
struct TurnToken {
  wire::Caller caller;
  wire::Acting acting;
};

/// Text that only gateways can read, and that counts until `expires`.
std::string seal_turn(const SealKeys& keys, const TurnToken& token, WallTime expires);

/// Errors: unauthenticated (it is not one of ours, was changed, or has expired).
wire::HttpResult<TurnToken> open_turn(const SealKeys& keys, std::string_view text, WallTime now);

/// Whether `process`, whose own credential came with a turn's token, may act for others: with
/// permission chat:act, or, to begin a turn, chat:continue. `asked`: callers are asked who they
/// are. Errors: unauthenticated (it is not a chat process), permission_denied.
wire::HttpResult<void> may_act(const wire::Caller& process, const extensions::GrantsPtr& grants,
                               wire::Route route, bool asked);

/// Whether a request without a turn's token may be answered. The credential of a chat process,
/// which only lets it act for others, counts together with one alone. Errors: unauthenticated.
wire::HttpResult<void> needs_no_turn(wire::Route route, const extensions::GrantsPtr& grants);

/// Whether a turn may make this request: it stays in its session. Errors: unknown_session,
/// permission_denied.
wire::HttpResult<void> stays_in_session(wire::Route route, std::string_view id,
                                        const wire::Acting& acting);

}  // namespace toolway::gateway::auth
