#include "tools/messages/foreign_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>

namespace toolway::tools::messages {
namespace {

/// As a string of JSON, or the value itself.
std::string arguments_of(const OrderedJson& call, const char* name) {
  const auto found = call.find(name);
  if (found == call.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : to_text(*found);
}

/// The members of an object except those; null and empty ones say nothing.
OrderedJson others(const OrderedJson& object, std::initializer_list<std::string_view> without) {
  OrderedJson left = OrderedJson::object();
  for (const auto& [name, value] : object.items()) {
    const bool known = std::find(without.begin(), without.end(), name) != without.end();
    const bool blank = value.is_string() && value.get_ref<const std::string&>().empty();
    if (!known && !value.is_null() && !blank && value != OrderedJson::array()) left[name] = value;
  }
  return left;
}

std::optional<Native> native_of(OrderedJson value, std::string_view provider) {
  if (value.empty()) return std::nullopt;
  return Native{std::string(provider), std::move(value)};
}

Part text_part(std::string text) { return {.kind = Part::Kind::kText, .text = std::move(text)}; }

Part chat_call(const OrderedJson& entry, std::string_view provider) {
  Part part{.kind = Part::Kind::kCall};
  part.call.id = text_member(entry, "id");
  if (const auto function = entry.find("function");
      function != entry.end() && function->is_object()) {
    part.call.tool = text_member(*function, "name");
    part.call.arguments = arguments_of(*function, "arguments");
  }
  part.native = native_of(others(entry, {"id", "type", "function", "index"}), provider);
  return part;
}

Part part_of_block(const OrderedJson& block, std::string_view provider) {
  const auto type = text_member(block, "type");
  if (type == "text") {
    auto part = text_part(text_member(block, "text"));
    // Citations belong to the block as it is.
    if (!others(block, {"type", "text"}).empty()) part.native = native_of(block, provider);
    return part;
  }
  if (type == "tool_use") {
    Part part{.kind = Part::Kind::kCall};
    part.call = {.id = text_member(block, "id"),
                 .tool = text_member(block, "name"),
                 .arguments = arguments_of(block, "input")};
    part.native = native_of(others(block, {"type", "id", "name", "input"}), provider);
    return part;
  }
  return {.kind = Part::Kind::kOpaque, .native = Native{std::string(provider), block}};
}

}  // namespace

std::string text_member(const OrderedJson& object, const char* name) {
  if (!object.is_object()) return "";
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string text_of_content(const OrderedJson& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (!content.is_array()) return text;
  for (const auto& part : content) {
    const bool refusal = part.is_object() && part.contains("refusal");
    if (part.is_object() && (part.contains("text") || refusal))
      text += text_member(part, refusal ? "refusal" : "text");
    else
      text += fmt::format("[{}]", text_member(part, "type"));
  }
  return text;
}

std::vector<Part> parts_of_chat(const OrderedJson& message, std::string_view provider) {
  std::vector<Part> parts;
  if (!message.is_object()) return parts;
  auto own = others(message, {"role", "content", "tool_calls", "refusal", "annotations", "audio",
                              "function_call", "name"});
  if (auto native = native_of(std::move(own), provider))
    parts.push_back({.kind = Part::Kind::kOpaque, .native = std::move(native)});
  const auto content = message.find("content");
  auto text = content != message.end() ? text_of_content(*content) : "";
  if (text.empty()) text = text_member(message, "refusal");
  if (!text.empty()) parts.push_back(text_part(std::move(text)));
  const auto calls = message.find("tool_calls");
  if (calls != message.end() && calls->is_array())
    for (const auto& entry : *calls)
      if (entry.is_object()) parts.push_back(chat_call(entry, provider));
  return parts;
}

Part part_of_item(const OrderedJson& item, std::string_view provider) {
  const auto type = text_member(item, "type");
  Native own{std::string(provider), item};
  if (type == "function_call") {
    Part part{.kind = Part::Kind::kCall, .native = std::move(own)};
    part.call = {.id = text_member(item, "call_id"),
                 .tool = text_member(item, "name"),
                 .arguments = arguments_of(item, "arguments")};
    return part;
  }
  if (type == "message" || (type.empty() && item.is_object() && item.contains("content"))) {
    const auto content = item.find("content");
    auto part = text_part(content != item.end() ? text_of_content(*content) : "");
    if (type == "message") part.native = std::move(own);
    return part;
  }
  return {.kind = Part::Kind::kOpaque, .native = std::move(own)};
}

std::vector<Part> parts_of_blocks(const OrderedJson& content, std::string_view provider) {
  if (content.is_string()) return {text_part(content.get<std::string>())};
  std::vector<Part> parts;
  if (!content.is_array()) return parts;
  for (const auto& block : content)
    if (block.is_object()) parts.push_back(part_of_block(block, provider));
  return parts;
}

}  // namespace toolway::tools::messages
