#include "gateway/mcp/sealed.h"

#include "extensions/seal.h"
#include "mcp/fields.h"

namespace toolway::gateway::mcp {

std::string text_at(const Json& object, const char* name) {
  const auto* found = toolway::mcp::member(object, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

std::string seal_for(const SealKeys& keys, std::string_view purpose, const wire::Caller& caller,
                     Json content, WallTime expires) {
  content["tenant"] = caller.tenant_id;
  content["user"] = caller.user_id;
  return extensions::seal(keys, purpose, to_text(content), expires);
}

std::optional<Json> open_for(const SealKeys& keys, std::string_view purpose,
                             const wire::Caller& caller, std::string_view sealed, WallTime now) {
  const auto text = extensions::open_sealed(keys, purpose, sealed, now);
  if (!text) return std::nullopt;
  auto content = parse_json(*text);
  if (!content || text_at(*content, "tenant") != caller.tenant_id ||
      text_at(*content, "user") != caller.user_id)
    return std::nullopt;
  return std::move(*content);
}

}  // namespace toolway::gateway::mcp
