#include "tools/messages/foreign.h"

#include <fmt/format.h>

#include <string>

#include "tools/messages/foreign_blocks.h"
#include "tools/messages/foreign_content.h"
#include "tools/messages/foreign_parts.h"

namespace toolway::tools::messages {
namespace {

using exports::ModelApi;

class ForeignReader {
 public:
  ForeignReader(std::string_view provider, Mistakes& mistakes, Mistakes& lost)
      : provider_(provider), mistakes_(mistakes), lost_(lost) {}

  void chat(const OrderedJson& message, const std::string& place) {
    const auto role = text_member(message, "role");
    if (role == "system" || role == "developer") {
      system(message, place);
    } else if (role == "user") {
      user(message, place);
    } else if (role == "assistant") {
      content_of(message, NoContent::kAllowed, place);
      assistant(parts_of_chat(message, provider_));
    } else if (role == "tool") {
      result(message, {"tool_call_id", "content", NoContent::kMistake}, place);
    } else {
      wrong(place + "/role", "expected system, developer, user, assistant or tool");
    }
  }

  void item(const OrderedJson& item, const std::string& place) {
    const auto type = text_member(item, "type");
    const auto role = text_member(item, "role");
    if (type == "function_call_output") {
      result(item, {"call_id", "output", NoContent::kMistake}, place);
    } else if (role == "system" || role == "developer") {
      system(item, place);
    } else if (role == "user") {
      user(item, place);
    } else if (role == "assistant" || (role.empty() && !type.empty())) {
      // One with a type is kept as it is.
      if (type.empty()) content_of(item, NoContent::kAllowed, place);
      more_of_assistant(part_of_item(item, provider_));
    } else {
      wrong(place, "expected an item with a type, or a message with a role");
    }
  }

  void anthropic(const OrderedJson& message, const std::string& place) {
    const auto role = text_member(message, "role");
    const auto content = message.find("content");
    if (content == message.end()) return wrong(place + "/content", "it is missing");
    if (role == "assistant") {
      // Its blocks are kept as they are.
      if (!content->is_array()) content_of(message, NoContent::kAllowed, place);
      return assistant(parts_of_blocks(*content, provider_));
    }
    if (role != "user") return wrong(place + "/role", "expected user or assistant");
    content_of(message, NoContent::kMistake, place);
    OrderedJson rest = OrderedJson::array();
    bool results = false;
    if (content->is_array()) {
      for (std::size_t i = 0; i < content->size(); ++i) {
        const auto& block = (*content)[i];
        if (text_member(block, "type") == "tool_result") {
          result(block, {"tool_use_id", "content", NoContent::kAllowed},
                 fmt::format("{}/content/{}", place, i));
          results = true;
        } else {
          rest.push_back(block);
        }
      }
    }
    if (!content->is_array() || !rest.empty() || !results)
      add(read_user_content(content->is_array() ? rest : *content, mistakes_, place + "/content"));
  }

  /// What the system says in a member of the document, next to the list of messages.
  void before(const char* name, const OrderedJson& document) {
    if (!document.is_object() || !document.contains(name)) return;
    const auto* content = content_of(document, NoContent::kAllowed, "", name);
    if (auto text = text_of_content(*content); !text.empty())
      add(text_message(Role::kSystem, std::move(text)));
  }

  void add(Message message) { messages_.push_back(std::move(message)); }
  void wrong(std::string place, std::string what) {
    mistakes_.add({std::move(place), std::move(what)});
  }
  std::vector<Message> take() { return std::move(messages_); }

 private:
  /// An object's content, if it has one, once it is checked.
  const OrderedJson* content_of(const OrderedJson& object, NoContent none, const std::string& place,
                                const char* name = "content") {
    const auto found = object.find(name);
    const auto* content = found == object.end() ? nullptr : &*found;
    check_content(content, none, lost_, fmt::format("{}/{}", place, name));
    return content;
  }

  void system(const OrderedJson& message, const std::string& place) {
    const auto* content = content_of(message, NoContent::kMistake, place);
    add(text_message(Role::kSystem, content == nullptr ? "" : text_of_content(*content)));
  }

  void user(const OrderedJson& message, const std::string& place) {
    const auto* content = content_of(message, NoContent::kMistake, place);
    add(read_user_content(content == nullptr ? OrderedJson("") : *content, mistakes_,
                          place + "/content"));
  }

  void assistant(std::vector<Part> parts) {
    Message message{.role = Role::kAssistant, .parts = std::move(parts)};
    if (has_calls(message)) message.finish = Finish::kCalls;
    add(std::move(message));
  }

  void more_of_assistant(Part part) {
    if (messages_.empty() || messages_.back().role != Role::kAssistant) assistant({});
    Message& message = messages_.back();
    if (part.kind == Part::Kind::kCall) message.finish = Finish::kCalls;
    message.parts.push_back(std::move(part));
  }

  /// How an API names a result's members.
  struct ResultMembers {
    const char* id;
    const char* content;
    NoContent none;
  };
  void result(const OrderedJson& object, const ResultMembers& names, const std::string& place) {
    const auto* content = content_of(object, names.none, place, names.content);
    const auto failed = object.find("is_error");
    CallResult made{.call_id = text_member(object, names.id), .text = {}};
    if (content != nullptr)
      read_content(*content, made, mistakes_, fmt::format("{}/{}", place, names.content));
    made.is_error = made.text.starts_with("tool_error: ") ||
                    (failed != object.end() && failed->is_boolean() && failed->get<bool>());
    if (messages_.empty() || messages_.back().role != Role::kResults) add({.role = Role::kResults});
    messages_.back().results.push_back(std::move(made));
  }

  const std::string_view provider_;
  Mistakes& mistakes_;
  Mistakes& lost_;
  std::vector<Message> messages_;
};

/// The list of messages in an object that has one, or the document itself.
const OrderedJson& list_in(const OrderedJson& document, const char* name) {
  if (!document.is_object()) return document;
  const auto found = document.find(name);
  return found == document.end() ? document : *found;
}

}  // namespace

std::vector<Message> read_foreign(const OrderedJson& document, ModelApi api,
                                  std::string_view provider, Mistakes& mistakes, Mistakes& lost) {
  ForeignReader reader(provider, mistakes, lost);
  const char* const name = api == ModelApi::kOpenAiResponses ? "input" : "messages";
  const auto& list = list_in(document, name);
  if (api == ModelApi::kOpenAiResponses) {
    reader.before("instructions", document);
    if (list.is_string()) {  // the user's only message
      reader.add(text_message(Role::kUser, list.get<std::string>()));
      return reader.take();
    }
  }
  if (!list.is_array()) {
    reader.wrong("", fmt::format("expected a list of messages, or an object with `{}`", name));
    return {};
  }
  if (api == ModelApi::kAnthropic) reader.before("system", document);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto place =
        document.is_object() ? fmt::format("/{}/{}", name, i) : fmt::format("/{}", i);
    if (!list[i].is_object()) {
      reader.wrong(place, "expected an object");
      continue;
    }
    switch (api) {
      case ModelApi::kOpenAi: reader.chat(list[i], place); break;
      case ModelApi::kOpenAiResponses: reader.item(list[i], place); break;
      case ModelApi::kAnthropic: reader.anthropic(list[i], place); break;
    }
  }
  return reader.take();
}

}  // namespace toolway::tools::messages
