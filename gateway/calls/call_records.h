#pragma once

#include <string_view>

#include "extensions/chain/policy_board.h"
#include "gateway/calls/call_entry.h"
#include "gateway/sessions/session.h"
#include "gateway/wire/routed_request.h"

/// What a gateway's log says of calls with `--log-format json`; otherwise these do nothing.
namespace toolway::gateway::calls {

/// A call that was refused before it had an id. `tool`: as the client names it.
void record_refused(const extensions::chain::PolicyBoard& policies,
                    const wire::RoutedRequest& routed, const sessions::Session& session,
                    std::string_view tool, const Error& refusal);
/// A call that was planned: refused, held or, when the policy wants all of them, accepted.
void record_run(const extensions::chain::PolicyBoard& policies, const CallEntry& entry);
/// A person has decided about a held call. `state`: what became of it.
void record_decided(const v1::CallRequest& call, const v1::Vote& vote, std::string_view state);

}  // namespace toolway::gateway::calls
