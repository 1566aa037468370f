#include "mcp/client_capabilities.h"

#include "mcp/fields.h"

namespace toolway::mcp {

Json capabilities_json(const ClientCapabilities& declared) {
  Json json = Json::object();
  if (declared.form) json["elicitation"]["form"] = Json::object();
  if (declared.url) json["elicitation"]["url"] = Json::object();
  if (declared.sampling) json["sampling"] = Json::object();
  if (declared.roots) json["roots"] = Json::object();
  return json;
}

bool any(const ClientCapabilities& declared) { return declared != ClientCapabilities(); }

ClientCapabilities both(const ClientCapabilities& one, const ClientCapabilities& other) {
  return {.form = one.form && other.form,
          .url = one.url && other.url,
          .sampling = one.sampling && other.sampling,
          .roots = one.roots && other.roots};
}

bool is_question(std::string_view method) {
  return method == "elicitation/create" || method == "sampling/createMessage" ||
         asks_for_roots(method);
}

bool asks_for_roots(std::string_view method) { return method == "roots/list"; }

bool may_ask(const ClientCapabilities& declared, std::string_view method, const Json& params) {
  if (method == "sampling/createMessage") return declared.sampling;
  if (asks_for_roots(method)) return declared.roots;
  if (method != "elicitation/create") return false;
  // Without a mode it is a form (2025-11-25, client/elicitation, "Elicitation Requests").
  const auto* mode = member(params, "mode");
  if (mode == nullptr || *mode == "form") return declared.form;
  return *mode == "url" && declared.url;
}

}  // namespace toolway::mcp
