#include "gateway/mcp/opened_sessions.h"

#include "base/try.h"

namespace toolway::gateway::mcp {

Result<RpcSession> OpenedSessions::open(const SealKeys& keys, const wire::Caller& caller,
                                        const std::string& sealed, const Clock& clock) {
  const auto now = clock.monotonic();
  const auto found = kept_.find(sealed);
  if (found != kept_.end()) {
    const auto& kept = found->second;
    const bool same = kept.tenant_id == caller.tenant_id && kept.user_id == caller.user_id;
    if (same && now < kept.until) return kept.session;
    kept_.erase(found);
  }
  ASSIGN_OR_RETURN(auto session, open_session_id(keys, caller, sealed, clock.wall()));
  if (kept_.size() >= kMaxSessions) kept_.clear();
  kept_.emplace(sealed, Kept{.session = session,
                             .tenant_id = caller.tenant_id,
                             .user_id = caller.user_id,
                             .until = now + kOpenedFor});
  return session;
}

}  // namespace toolway::gateway::mcp
