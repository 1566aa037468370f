#include "tools/executors/mcp_client/call_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"

namespace toolway::tools::executors::mcp_client {
namespace {

using mcp::BlockType;

Json as_json(const mcp::ContentBlock& block) {
  Json json{{"type", mcp::block_type_name(block.type)}};
  const auto set = [&json](const char* name, const std::string& value) {
    if (!value.empty()) json[name] = value;
  };
  switch (block.type) {
    case BlockType::kText: json["text"] = block.text; break;
    case BlockType::kImage:
    case BlockType::kAudio:
      json["data"] = block.data;
      json["mimeType"] = block.mime_type;
      break;
    case BlockType::kResourceLink:
      json["uri"] = block.uri;
      set("name", block.name);
      set("mimeType", block.mime_type);
      set("description", block.text);
      break;
    case BlockType::kResource: {
      Json resource{{"uri", block.uri}};
      if (!block.mime_type.empty()) resource["mimeType"] = block.mime_type;
      if (block.data.empty())
        resource["text"] = block.text;
      else
        resource["blob"] = block.data;
      json["resource"] = std::move(resource);
      break;
    }
  }
  return json;
}

/// Nothing: its data is not base64.
std::optional<model::ContentBlock> as_block(const mcp::ContentBlock& block) {
  auto data = from_base64(block.data);
  if (!data) return std::nullopt;
  return model::ContentBlock{.type = std::string(mcp::block_type_name(block.type)),
                             .text = block.text,
                             .data = *std::move(data),
                             .mime_type = block.mime_type,
                             .uri = block.uri,
                             .name = block.name};
}

model::ToolError failed(const std::string& server, const mcp::ToolCallResult& result) {
  auto text = mcp::text_of(result.content);
  if (text.empty())
    text = fmt::format("the tool of MCP server '{}' failed without a message", server);
  model::ToolError error("mcp_tool_error", std::move(text));
  if (result.structured && !result.structured->is_null())
    error.details = {{"structured", *result.structured}};
  return error;
}

}  // namespace

model::Execution execution_of(const std::string& server, mcp::ToolCallResult result,
                              model::ToolContext& context) {
  if (result.is_error) return tl::unexpected(failed(server, result));
  const bool texts_alone =
      std::all_of(result.content.begin(), result.content.end(),
                  [](const auto& block) { return block.type == BlockType::kText; });
  if (!texts_alone) {
    for (const auto& block : result.content) {
      if (auto shown = as_block(block)) {
        context.add_content(*std::move(shown));
      } else {
        return tl::unexpected(model::ToolError(
            "mcp_protocol_error",
            fmt::format("MCP server '{}' sent a block of type {} whose data is not base64", server,
                        mcp::block_type_name(block.type))));
      }
    }
  }
  if (result.structured) return *std::move(result.structured);
  if (texts_alone) return Json(mcp::text_of(result.content));
  Json blocks = Json::array();
  for (const auto& block : result.content) blocks.push_back(as_json(block));
  return Json{{"content", std::move(blocks)}};
}

}  // namespace toolway::tools::executors::mcp_client
