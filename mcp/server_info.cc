#include "mcp/server_info.h"

#include "mcp/fields.h"

namespace toolway::mcp {
namespace {

constexpr std::size_t kMaxRevisions = 100;

Implementation implementation_of(const Json* json) {
  if (json == nullptr) return {};
  return {short_text(*json, "name"), short_text(*json, "version")};
}

ServerCapabilities capabilities_of(const Json& result) {
  const auto* capabilities = member(result, "capabilities");
  const auto* tools = capabilities == nullptr ? nullptr : member(*capabilities, "tools");
  if (tools == nullptr || !tools->is_object()) return {};
  return {.tools = true, .tools_list_changed = flag(*tools, "listChanged")};
}

std::vector<std::string> revisions_in(const Json* list) {
  std::vector<std::string> revisions;
  if (list == nullptr || !list->is_array()) return revisions;
  for (const auto& item : *list) {
    if (item.is_string() && revisions.size() < kMaxRevisions)
      revisions.push_back(item.get<std::string>().substr(0, 64));
  }
  return revisions;
}

}  // namespace

Result<InitializeResult> decode_initialize(const Json& result) {
  InitializeResult read{short_text(result, "protocolVersion", 64), capabilities_of(result),
                        implementation_of(member(result, "serverInfo"))};
  if (!read.revision.empty()) return read;
  return fail(ErrorCode::kInvalidRequest, "the answer to initialize has no `protocolVersion`");
}

Result<DiscoverResult> decode_discover(const Json& result) {
  const auto* meta = member(result, "_meta");
  DiscoverResult read{
      revisions_in(member(result, "supportedVersions")), capabilities_of(result),
      implementation_of(meta == nullptr ? nullptr
                                        : member(*meta, "io.modelcontextprotocol/serverInfo"))};
  if (!read.revisions.empty()) return read;
  return fail(ErrorCode::kInvalidRequest,
              "the answer to server/discover has no `supportedVersions`");
}

std::vector<std::string> supported_revisions(const Json& error_data) {
  return revisions_in(member(error_data, "supported"));
}

}  // namespace toolway::mcp
