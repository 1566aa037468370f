#include "gateway/mcp/rpc_session.h"

#include "base/json.h"
#include "extensions/seal.h"
#include "gateway/mcp/questions.h"

namespace toolway::gateway::mcp {
namespace {

constexpr std::string_view kPurpose = "mcp session";
constexpr std::chrono::hours kLifetime{24 * 7};

}  // namespace

std::string seal_session(const SealKeys& keys, const wire::Caller& caller,
                         const RpcSession& session, WallTime now) {
  const Json content{{"tenant", caller.tenant_id},
                     {"user", caller.user_id},
                     {"session", session.session_id},
                     {"revision", toolway::mcp::revision_name(session.revision)},
                     {"askable", askable_json(session.askable)}};
  return extensions::seal(keys, kPurpose, to_text(content), now + kLifetime);
}

Result<RpcSession> open_session_id(const SealKeys& keys, const wire::Caller& caller,
                                   std::string_view sealed, WallTime now) {
  const auto gone = [] {
    return fail(ErrorCode::kNotFound,
                "there is no such session, or it has expired: send initialize again");
  };
  const auto opened = extensions::open_sealed(keys, kPurpose, sealed, now);
  if (!opened) return gone();
  const auto content = parse_json(*opened);
  if (!content || content->value("tenant", "") != caller.tenant_id ||
      content->value("user", "") != caller.user_id)
    return gone();
  const auto revision = toolway::mcp::parse_revision(content->value("revision", ""));
  if (!revision) return gone();
  return RpcSession{.session_id = content->value("session", ""),
                    .revision = *revision,
                    .askable = askable_from(content->value("askable", Json::object()))};
}

}  // namespace toolway::gateway::mcp
