#include "mcp/content.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace toolway::mcp {
namespace {

constexpr std::size_t kMaxBlocks = 10'000;
constexpr std::array kTypes{BlockType::kText, BlockType::kImage, BlockType::kAudio,
                            BlockType::kResourceLink, BlockType::kResource};

/// Reads members of one block; the first that is wrong is remembered.
class Block {
 public:
  explicit Block(const Json& json) : json_(json) {}

  void required(const char* name, std::string& to) {
    if (!json_.contains(name) && wrong_.empty()) wrong_ = fmt::format("has no `{}`", name);
    optional(name, to);
  }
  void optional(const char* name, std::string& to) {
    const auto found = json_.find(name);
    if (found == json_.end() || found->is_null()) return;
    if (found->is_string()) {
      to = found->get<std::string>();
    } else if (wrong_.empty()) {
      wrong_ = fmt::format("has a `{}` that is not text", name);
    }
  }
  const std::string& wrong() const { return wrong_; }

 private:
  const Json& json_;
  std::string wrong_;
};

std::string read_resource(const Json& json, ContentBlock& block) {
  const auto resource = json.find("resource");
  if (resource == json.end() || !resource->is_object()) return "has no `resource`";
  Block inner(*resource);
  inner.required("uri", block.uri);
  inner.optional("mimeType", block.mime_type);
  if (resource->contains("blob"))
    inner.required("blob", block.data);
  else
    inner.required("text", block.text);
  return inner.wrong();
}

std::string read_block(const Json& json, ContentBlock& block) {
  Block outer(json);
  switch (block.type) {
    case BlockType::kText: outer.required("text", block.text); break;
    case BlockType::kImage:
    case BlockType::kAudio:
      outer.required("data", block.data);
      outer.required("mimeType", block.mime_type);
      break;
    case BlockType::kResourceLink:
      outer.required("uri", block.uri);
      outer.optional("name", block.name);
      outer.optional("mimeType", block.mime_type);
      outer.optional("description", block.text);
      break;
    case BlockType::kResource: return read_resource(json, block);
  }
  return outer.wrong();
}

}  // namespace

std::string_view block_type_name(BlockType type) {
  switch (type) {
    case BlockType::kText: return "text";
    case BlockType::kImage: return "image";
    case BlockType::kAudio: return "audio";
    case BlockType::kResourceLink: return "resource_link";
    case BlockType::kResource: return "resource";
  }
  return "text";
}

Result<std::vector<ContentBlock>> decode_content(const Json& content) {
  const auto refuse = [](std::string what) {
    return fail(ErrorCode::kInvalidRequest, std::move(what));
  };
  if (!content.is_array()) return refuse("`content` must be a list");
  if (content.size() > kMaxBlocks) {
    return refuse(
        fmt::format("`content` has {} blocks; the limit is {}", content.size(), kMaxBlocks));
  }
  std::vector<ContentBlock> blocks;
  blocks.reserve(content.size());
  for (const auto& json : content) {
    if (!json.is_object() || !json.contains("type") || !json["type"].is_string()) {
      return refuse(fmt::format("block {} of `content` has no `type`", blocks.size()));
    }
    const auto& name = json["type"].get_ref<const std::string&>();
    const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](auto one) { return block_type_name(one) == name; });
    if (type == kTypes.end()) {
      auto shown = name.substr(0, 64);
      while (!valid_utf8(shown)) shown.pop_back();
      return refuse(fmt::format("block {} of `content` is of type '{}', which no revision has",
                                blocks.size(), shown));
    }
    ContentBlock block{.type = *type};
    if (const auto wrong = read_block(json, block); !wrong.empty()) {
      return refuse(
          fmt::format("block {} of `content`, of type {}, {}", blocks.size(), name, wrong));
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::string text_of(const std::vector<ContentBlock>& content) {
  std::string text;
  for (const auto& block : content) {
    if (block.type != BlockType::kText) continue;
    if (!text.empty()) text += '\n';
    text += block.text;
  }
  return text;
}

}  // namespace toolway::mcp
