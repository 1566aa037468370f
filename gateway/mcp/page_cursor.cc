#include "gateway/mcp/page_cursor.h"

#include "gateway/mcp/sealed.h"
#include "mcp/fields.h"

namespace toolway::gateway::mcp {
namespace {

constexpr std::chrono::hours kLifetime{24};

}  // namespace

std::string seal_cursor(const RequestScope& of, std::string_view purpose,
                        const std::string& before) {
  return seal_for(of.context.seal_keys, purpose, of.routed.caller,
                  {{"before", before}, {"session", of.session.record.session_key()}},
                  of.context.clock.wall() + kLifetime);
}

std::optional<std::optional<CallId>> open_cursor(const RequestScope& of, std::string_view purpose,
                                                 const RpcRequest& request) {
  using Place = std::optional<CallId>;
  const auto* cursor = toolway::mcp::member(request.request.params, "cursor");
  if (cursor == nullptr) return Place();
  if (!cursor->is_string()) return std::nullopt;
  const auto opened = open_for(of.context.seal_keys, purpose, of.routed.caller,
                               cursor->get<std::string>(), of.context.clock.wall());
  if (!opened || text_at(*opened, "session") != of.session.record.session_key())
    return std::nullopt;
  const auto id = CallId::parse(text_at(*opened, "before"));
  if (!id) return std::nullopt;
  return Place(*id);
}

}  // namespace toolway::gateway::mcp
