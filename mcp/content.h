#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace toolway::mcp {

enum class BlockType { kText, kImage, kAudio, kResourceLink, kResource };

/// A piece of a tool's result (every revision, server/tools, "Tool Result"). What a type does
/// not have is empty.
struct ContentBlock {
  BlockType type = BlockType::kText;
  std::string text{};  ///< of text and of resources that are text
  std::string data{};  ///< base64 (RFC 4648 §4), as it came: of images, audio, and other resources
  std::string mime_type{};
  std::string uri{};   ///< of links and resources
  std::string name{};  ///< of links
};

/// As it travels: `text`, `image`, `audio`, `resource_link`, `resource`.
std::string_view block_type_name(BlockType type);

/// Errors: kInvalidRequest (a type that no revision has, a field of the wrong type).
Result<std::vector<ContentBlock>> decode_content(const Json& content);

/// The texts among the blocks, a line break between them.
std::string text_of(const std::vector<ContentBlock>& content);

}  // namespace toolway::mcp
