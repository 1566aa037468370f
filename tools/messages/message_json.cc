#include "tools/messages/message_json.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/ordered_object.h"
#include "base/strict_object.h"
#include "tools/messages/blocks.h"

namespace toolway::tools::messages {
namespace {

using Object = StrictObject<OrderedJson>;

/// Of a message or a result.
constexpr std::size_t kMaxMembers = 6;

OrderedJson part_json(const Part& part) {
  OrderedJson json = OrderedJson::object();
  if (part.kind == Part::Kind::kText) json["text"] = part.text;
  if (part.kind == Part::Kind::kCall)
    json["call"] = {
        {"id", part.call.id}, {"tool", part.call.tool}, {"arguments", part.call.arguments}};
  if (part.native)
    json["native"] = {{"provider", part.native->provider}, {"value", part.native->value}};
  return json;
}

constexpr std::string_view kImage = "image";
constexpr std::string_view kDocument = "document";

OrderedJson block_json(const Block& block) {
  OrderedJson json = {{"type", block.kind == Block::Kind::kImage ? kImage : kDocument}};
  if (block.url.empty())
    json["media_type"] = block.media_type;
  else
    json["url"] = block.url;
  if (!block.name.empty()) json["name"] = block.name;
  if (!block.data.empty()) json["data"] = block.data;
  json["at"] = block.at;
  json["line"] = block.line;
  if (block.is_text()) json["label"] = block.label;
  return json;
}

OrderedJson result_json(const CallResult& result) {
  auto json = ordered_object(kMaxMembers);
  json["call_id"] = result.call_id;
  json["text"] = result.text;
  if (result.is_error) json["is_error"] = true;
  if (!result.ran_as.empty()) json["ran_as"] = result.ran_as;
  if (result.detached) json["detached"] = true;
  for (const Block& block : result.blocks) json["blocks"].push_back(block_json(block));
  return json;
}

void require_text(Object& object, std::string_view name, std::string& to) {
  if (object.find(name) == nullptr)
    object.wrong(name, "it is missing", "required");
  else
    object.text(name, to);
}

Part read_part(const OrderedJson& value, Mistakes& mistakes, const std::string& place) {
  Object object(value, mistakes, place);
  Part part;
  const auto* call = object.map("call");
  const auto* text = object.text("text");
  if (call != nullptr) {
    part.kind = Part::Kind::kCall;
    Object members(*call, mistakes, place + "/call");
    require_text(members, "id", part.call.id);
    require_text(members, "tool", part.call.tool);
    require_text(members, "arguments", part.call.arguments);
    members.nothing_else();
    if (text != nullptr) object.wrong("text", "a part is a text or a call, not both");
  } else if (text != nullptr) {
    part.text = *text;
  } else {
    part.kind = Part::Kind::kOpaque;
  }
  if (const auto* native = object.map("native")) {
    Object members(*native, mistakes, place + "/native");
    Native read;
    require_text(members, "provider", read.provider);
    if (const auto* own = members.value("value")) read.value = *own;
    members.nothing_else();
    part.native = std::move(read);
  } else if (part.kind == Part::Kind::kOpaque) {
    object.wrong_whole("expected text, call or native", "required");
  }
  object.nothing_else();
  return part;
}

template <typename Read>
auto read_list(Object& object, const char* name, Read read) {
  std::vector<decltype(read(OrderedJson(), object.mistakes(), std::string()))> made;
  const auto* list = object.list(name);
  if (list == nullptr) return made;
  for (std::size_t i = 0; i < list->size(); ++i)
    made.push_back(read((*list)[i], object.mistakes(), fmt::format("{}/{}", object.at(name), i)));
  return made;
}

/// What the data says is read again.
Block read_data(Object& object, const std::string& data, const std::string& media_type) {
  const auto bytes = from_base64(data);
  auto read = bytes ? block_of(media_type, *bytes) : NoBlock::kNotShown;
  auto* block = std::get_if<Block>(&read);
  if (block != nullptr && block->media_type == media_type && block->data == data)
    return std::move(*block);
  object.wrong("data", "expected an image or a PDF of that type, in base64", "contentEncoding");
  return {};
}

/// One whose bytes, or text, are here.
Block read_block_here(Object& object) {
  std::string media_type;
  require_text(object, "media_type", media_type);
  if (const auto* data = object.text("data")) return read_data(object, *data, media_type);
  Block block{.kind = Block::Kind::kDocument, .media_type = media_type};
  object.whole<std::size_t>("label", block.label, {0});
  if (!media_type.starts_with("text/"))
    object.wrong("media_type", "without data, expected one of a text", "pattern");
  return block;
}

Block read_block(const OrderedJson& value, Mistakes& mistakes, const std::string& place) {
  Object object(value, mistakes, place);
  Block block;
  const auto type = object.choice("type", {kImage, kDocument});
  if (const auto* url = object.text("url")) {
    block.url = *url;
    if (!is_image_url(block.url))
      object.wrong("url", "expected an http or https URL of at most 8 KiB", "format");
  } else {
    block = read_block_here(object);
  }
  const bool document = block.kind == Block::Kind::kDocument;
  if (document) object.text("name", block.name);
  if (object.find("type") == nullptr || (type == kDocument) != document)
    object.wrong("type", "expected image or document, as the data is", "enum");
  object.whole<std::size_t>("at", block.at, {0});
  object.whole<std::size_t>("line", block.line, {1});
  object.nothing_else();
  return block;
}

template <typename Of>
void read_blocks(Object& object, Of& of) {
  const auto before = object.mistakes().count();
  of.blocks = read_list(object, "blocks", read_block);
  if (object.mistakes().count() > before) return;
  if (const auto wrong = misplaced(BlockText(of)); !wrong.empty())
    object.wrong("blocks", std::string(wrong), "blocks");
}

CallResult read_result(const OrderedJson& value, Mistakes& mistakes, const std::string& place) {
  Object object(value, mistakes, place);
  CallResult result;
  require_text(object, "call_id", result.call_id);
  require_text(object, "text", result.text);
  object.flag("is_error", result.is_error);
  object.text("ran_as", result.ran_as);
  object.flag("detached", result.detached);
  read_blocks(object, result);
  object.nothing_else();
  return result;
}

ToldProgress read_progress(const OrderedJson& value, Mistakes& mistakes, const std::string& place) {
  Object object(value, mistakes, place);
  ToldProgress told;
  require_text(object, "ran_as", told.ran_as);
  require_text(object, "event", told.event);
  object.nothing_else();
  return told;
}

void read_assistant(Object& object, Message& message) {
  message.parts = read_list(object, "parts", read_part);
  std::string finish = "stop";
  object.text("finish", finish);
  if (const auto parsed = parse_finish(finish))
    message.finish = *parsed;
  else
    object.wrong("finish", "expected stop, calls, length, refusal, filtered, paused or stopped",
                 "enum");
  object.text("model", message.model);
  if (const auto* usage = object.map("usage")) {
    Object members(*usage, object.mistakes(), object.at("usage"));
    message.usage.emplace();
    members.whole<std::uint64_t>("input", message.usage->input, {0});
    members.whole<std::uint64_t>("output", message.usage->output, {0});
    members.whole<std::uint64_t>("sent", message.usage->sent, {0});
    members.nothing_else();
  }
}

/// How `messages_json` names the text of what a provider made.
constexpr const char* kAsText = "json";

/// What providers made, in a message as `message_json` writes it.
std::vector<OrderedJson*> natives_in(OrderedJson& message) {
  std::vector<OrderedJson*> found;
  if (!message.is_object()) return found;
  const auto parts = message.find("parts");
  if (parts == message.end() || !parts->is_array()) return found;
  for (auto& part : *parts) {
    if (!part.is_object()) continue;
    const auto native = part.find("native");
    if (native != part.end() && native->is_object()) found.push_back(&*native);
  }
  return found;
}

}  // namespace

OrderedJson message_json(const Message& message) {
  auto json = ordered_object(kMaxMembers);
  json["role"] = role_name(message.role);
  if (message.at_us != 0) json["at"] = message.at_us;
  switch (message.role) {
    case Role::kSystem:
    case Role::kUser:
    case Role::kInjected:
    case Role::kSummary:
      json["text"] = message.text;
      for (const Block& block : message.blocks) json["blocks"].push_back(block_json(block));
      if (message.role == Role::kSummary) json["keeps"] = message.keeps;
      if (!message.about.empty()) json["about"] = message.about;
      for (const auto& told : message.progress)
        json["progress"].push_back({{"ran_as", told.ran_as}, {"event", told.event}});
      break;
    case Role::kAssistant:
      json["parts"] = OrderedJson::array();
      for (const Part& part : message.parts) json["parts"].push_back(part_json(part));
      json["finish"] = finish_name(message.finish);
      if (!message.model.empty()) json["model"] = message.model;
      if (message.usage) {
        json["usage"] = {{"input", message.usage->input}, {"output", message.usage->output}};
        if (message.usage->sent > 0) json["usage"]["sent"] = message.usage->sent;
      }
      break;
    case Role::kResults:
      json["results"] = OrderedJson::array();
      for (const CallResult& result : message.results)
        json["results"].push_back(result_json(result));
      break;
  }
  return json;
}

Json messages_json(std::span<const Message> messages) {
  Json list = Json::array();
  for (const auto& message : messages) {
    auto json = message_json(message);
    for (auto* native : natives_in(json)) {
      (*native)[kAsText] = to_text((*native)["value"]);
      native->erase("value");
    }
    list.push_back(Json::parse(to_text(json)));
  }
  return list;
}

std::vector<Message> read_messages(const Json& list, Mistakes& mistakes, const std::string& place) {
  constexpr std::size_t kMaxDepth = 1000;
  std::vector<Message> messages;
  for (std::size_t i = 0; i < list.size() && mistakes.count() == 0; ++i) {
    const auto at = fmt::format("{}/{}", place, i);
    auto json = parse_ordered_json(to_text(list[i]), kMaxDepth).value_or(OrderedJson());
    for (auto* native : natives_in(json)) {
      const auto text = native->find(kAsText);
      if (text == native->end() || !text->is_string()) continue;  // an earlier version sent it
      auto value = parse_ordered_json(text->get_ref<const std::string&>(), kMaxDepth);
      if (!value) mistakes.add({at, value.error().message});
      native->erase(text);
      (*native)["value"] = value ? *std::move(value) : OrderedJson();
    }
    messages.push_back(read_message(json, mistakes, at));
  }
  return messages;
}

Message read_message(const OrderedJson& value, Mistakes& mistakes, const std::string& place) {
  Object object(value, mistakes, place);
  Message message;
  std::string role;
  object.text("role", role);
  const auto parsed = parse_role(role);
  if (!parsed) {
    if (value.is_object())
      object.wrong("role", "expected system, user, assistant, results, injected or summary",
                   "enum");
    return message;
  }
  message.role = *parsed;
  object.whole<std::int64_t>("at", message.at_us, {0});
  if (message.role == Role::kAssistant)
    read_assistant(object, message);
  else if (message.role == Role::kResults)
    message.results = read_list(object, "results", read_result);
  else
    require_text(object, "text", message.text);
  if (message.role == Role::kUser || message.role == Role::kInjected) read_blocks(object, message);
  if (message.role == Role::kInjected) {
    object.texts("about", message.about);
    message.progress = read_list(object, "progress", read_progress);
  }
  if (message.role == Role::kSummary) object.whole<std::size_t>("keeps", message.keeps, {0});
  object.nothing_else();
  return message;
}

}  // namespace toolway::tools::messages
