#include "gateway/mcp/rpc_session.h"

#include "base/json.h"
#include "gateway/mcp/questions.h"
#include "gateway/mcp/sealed.h"

namespace toolway::gateway::mcp {
namespace {

constexpr std::string_view kPurpose = "mcp session";
constexpr std::chrono::hours kLifetime{24 * 7};

}  // namespace

std::string seal_session(const SealKeys& keys, const wire::Caller& caller,
                         const RpcSession& session, WallTime now) {
  Json content{{"session", session.session_id},
               {"revision", toolway::mcp::revision_name(session.revision)},
               {"askable", askable_json(session.askable)}};
  if (!session.client.empty()) content["client"] = session.client;
  return seal_for(keys, kPurpose, caller, std::move(content), now + kLifetime);
}

Result<RpcSession> open_session_id(const SealKeys& keys, const wire::Caller& caller,
                                   std::string_view sealed, WallTime now) {
  const auto gone = [] {
    return fail(ErrorCode::kNotFound,
                "there is no such session, or it has expired: send initialize again");
  };
  const auto content = open_for(keys, kPurpose, caller, sealed, now);
  if (!content) return gone();
  const auto revision = toolway::mcp::parse_revision(text_at(*content, "revision"));
  if (!revision) return gone();
  return RpcSession{.session_id = text_at(*content, "session"),
                    .revision = *revision,
                    .askable = askable_from(content->value("askable", Json::object())),
                    .client = text_at(*content, "client")};
}

}  // namespace toolway::gateway::mcp
