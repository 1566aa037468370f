#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/seal_keys.h"
#include "gateway/wire/caller.h"
#include "mcp/revision.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::gateway::mcp {

/// What a handshake agreed on. No gateway keeps it: the session's id has it, sealed, so that any
/// other takes it.
struct RpcSession {
  std::string session_id;  ///< of ours
  toolway::mcp::Revision revision = toolway::mcp::Revision::k2025_11_25;
  v1::Askable askable{};  ///< what its client has declared
  std::string client{};   ///< what it calls itself, in the form of a label
};

/// It names the session, and proves nothing: the caller's own credential counts.
std::string seal_session(const SealKeys& keys, const wire::Caller& caller,
                         const RpcSession& session, WallTime now);

/// Errors: kNotFound: it is not one of ours, has expired, or is another caller's.
Result<RpcSession> open_session_id(const SealKeys& keys, const wire::Caller& caller,
                                   std::string_view sealed, WallTime now);

}  // namespace toolway::gateway::mcp
