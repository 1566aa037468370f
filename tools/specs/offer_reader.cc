#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "tools/specs/fields.h"
#include "tools/specs/offers.h"
#include "tools/specs/trees.h"
#include "tools/templates/double_braces.h"

namespace toolway::tools::specs {
namespace {

constexpr std::size_t kMaxOffered = 1000;

/// Reads each item of a list as a mapping; `read` gets its fields.
void each_of(const Located* list, std::string_view what, Mistakes& mistakes, const auto& read) {
  if (list == nullptr) return;
  if (!list->is_list()) return mistakes.add(list->line, fmt::format("{}s must be a list", what));
  if (list->members.size() > kMaxOffered)
    return mistakes.add(list->line, fmt::format("{} {}s at most", kMaxOffered, what));
  for (const auto& item : list->members) {
    if (!item.value.is_map()) {
      mistakes.add(item.line, fmt::format("a {} must be a mapping", what));
      continue;
    }
    const auto before = mistakes.count();
    Fields fields(item.value, fmt::format("a {}", what), mistakes);
    read(fields, before);
  }
}

Json json_of(const Located* value) {
  return value == nullptr ? Json() : Json::parse(to_json(*value).dump());
}

bool is_text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string();
}

/// What is wrong with a message of a prompt; empty: nothing.
std::string message_mistake(const Json& message) {
  if (!message.is_object() || !is_text(message, "role") ||
      (message["role"] != "user" && message["role"] != "assistant"))
    return "a message has a `role`, user or assistant";
  const auto content = message.find("content");
  if (content == message.end() || !content->is_object() || !is_text(*content, "type"))
    return "a message has a `content`, a mapping with a `type`";
  const auto& type = (*content)["type"];
  if (type == "text") return is_text(*content, "text") ? "" : "content of type text has a `text`";
  if (type == "image" || type == "audio") {
    if (!is_text(*content, "mimeType") || !is_text(*content, "data") ||
        !from_base64((*content)["data"].get<std::string>()))
      return "images and audio have `data`, base64, and a `mimeType`";
    return "";
  }
  if (type != "resource") return "content is of type text, image, audio or resource";
  const auto resource = content->find("resource");
  if (resource == content->end() || !resource->is_object() || !is_text(*resource, "uri") ||
      is_text(*resource, "text") == is_text(*resource, "blob"))
    return "content of type resource has a `resource`, with `uri` and `text` or `blob`";
  return "";
}

void read_arguments(Fields& fields, Prompt& prompt) {
  each_of(fields.list("arguments"), "argument", fields.mistakes(), [&](Fields& of, auto before) {
    PromptArgument argument;
    of.required_text("name", argument.name);
    of.text("description", argument.description);
    of.flag("required", argument.required);
    of.texts("values", argument.values);
    of.nothing_else();
    if (of.mistakes().count() == before) prompt.arguments.push_back(std::move(argument));
  });
}

void read_questions(Fields& fields, Prompt& prompt) {
  each_of(fields.list("asks"), "question", fields.mistakes(), [&](Fields& of, auto before) {
    PromptQuestion question;
    of.required_text("key", question.key);
    of.required_text("message", question.message);
    const auto* schema = of.map("schema");
    of.nothing_else();
    if (schema != nullptr) question.schema = to_json(*schema);
    if (!question.schema.is_object() || !question.schema.contains("properties") ||
        !question.schema["properties"].is_object()) {
      of.wrong_whole("a question has a `schema` with `properties`");
    } else if (auto compiled = schema::compile_schema(question.schema)) {
      question.answer = *std::move(compiled);
    } else {
      of.wrong("schema", compiled.error().message);
    }
    if (of.mistakes().count() == before) prompt.asks.push_back(std::move(question));
  });
}

/// A placeholder names an argument, or what an answer to a question has.
bool is_filled(const Prompt& prompt, const std::string& pointer) {
  const auto name = std::string_view(pointer).substr(pointer.starts_with('/') ? 1 : 0);
  return std::ranges::any_of(prompt.arguments, [&](const auto& at) { return at.name == name; }) ||
         std::ranges::any_of(prompt.asks, [&](const auto& asked) {
           return asked.schema["properties"].contains(std::string(name));
         });
}

void read_messages(Fields& fields, Prompt& prompt) {
  prompt.messages = json_of(fields.list("messages"));
  if (!prompt.messages.is_array() || prompt.messages.empty())
    return fields.wrong("messages", "a prompt has `messages`, a list");
  for (const auto& message : prompt.messages)
    if (auto wrong = message_mistake(message); !wrong.empty())
      return fields.wrong("messages", std::move(wrong));
  std::vector<std::string> named;
  for (auto& wrong : templates::double_brace_mistakes(prompt.messages, named))
    fields.wrong("messages", std::move(wrong));
  for (const auto& pointer : named)
    if (!is_filled(prompt, pointer))
      fields.wrong("messages", fmt::format("{} names no argument, and nothing that is asked",
                                           in_quotes(pointer)));
}

/// Nothing but `{name}`, each followed by a literal or the end (RFC 6570, level 1).
bool is_uri_template(std::string_view text) {
  bool after_variable = false;
  while (!text.empty()) {
    const auto open = text.find('{');
    if (open == std::string_view::npos) return text.find('}') == std::string_view::npos;
    if (text.substr(0, open).find('}') != std::string_view::npos) return false;
    if (open == 0 && after_variable) return false;
    const auto close = text.find('}', open);
    if (close == std::string_view::npos) return false;
    const auto name = text.substr(open + 1, close - open - 1);
    if (name.empty() || !std::ranges::all_of(
                            name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }))
      return false;
    text.remove_prefix(close + 1);
    after_variable = true;
  }
  return true;
}

void check_template(Fields& fields, const Resource& resource) {
  if (!is_uri_template(resource.uri))
    return fields.wrong("uri_template",
                        "a URI template has {name} alone, and two with text between them");
  std::vector<std::string> named;
  for (auto& wrong : templates::double_brace_mistakes(Json(resource.text), named))
    fields.wrong("text", std::move(wrong));
  for (const auto& pointer : named)
    if (resource.uri.find(fmt::format(
            "{{{}}}", pointer.substr(pointer.starts_with('/') ? 1 : 0))) == std::string::npos)
      fields.wrong("text", fmt::format("{} names no variable of the template", in_quotes(pointer)));
}

}  // namespace

void read_offers(const Located* prompts, const Located* resources, Mistakes& mistakes,
                 Offers& offers) {
  each_of(prompts, "prompt", mistakes, [&](Fields& fields, auto before) {
    Prompt prompt;
    fields.required_text("name", prompt.name);
    fields.text("namespace", prompt.ns);
    fields.text("title", prompt.title);
    fields.text("description", prompt.description);
    read_arguments(fields, prompt);
    read_questions(fields, prompt);
    read_messages(fields, prompt);
    fields.nothing_else();
    if (std::ranges::any_of(offers.prompts, [&](const auto& other) {
          return other.ns == prompt.ns && other.name == prompt.name;
        }))
      fields.wrong("name", fmt::format("prompt {} already exists", in_quotes(prompt.name)));
    if (mistakes.count() == before) offers.prompts.push_back(std::move(prompt));
  });
  each_of(resources, "resource", mistakes, [&](Fields& fields, auto before) {
    Resource resource;
    fields.text("namespace", resource.ns);
    fields.text("uri", resource.uri);
    std::string of_template;
    fields.text("uri_template", of_template);
    if (resource.uri.empty() == of_template.empty())
      fields.wrong_whole("a resource has either `uri` or `uri_template`");
    resource.is_template = !of_template.empty();
    if (resource.is_template) resource.uri = std::move(of_template);
    fields.required_text("name", resource.name);
    fields.text("title", resource.title);
    fields.text("description", resource.description);
    fields.text("mime_type", resource.mime_type);
    fields.text("text", resource.text);
    fields.text("blob", resource.blob);
    fields.texts("values", resource.values);
    fields.nothing_else();
    if (!resource.blob.empty() && (!resource.text.empty() || !from_base64(resource.blob)))
      fields.wrong("blob", "`blob` is base64, and instead of `text`");
    if (resource.is_template) check_template(fields, resource);
    if (mistakes.count() == before) offers.resources.push_back(std::move(resource));
  });
}

Offers offers_of(std::string_view text, std::string_view origin) {
  Offers offers;
  Mistakes mistakes(origin);
  const auto tree = read_tree(text, mistakes);
  if (!tree || !tree->is_map()) return offers;
  const auto value_of = [&](std::string_view key) {
    const auto* member = find(*tree, key);
    return member == nullptr ? nullptr : &member->value;
  };
  read_offers(value_of("prompts"), value_of("resources"), mistakes, offers);
  return offers;
}

Json match_uri(std::string_view uri_template, std::string_view uri) {
  Json variables = Json::object();
  for (;;) {
    const auto open = uri_template.find('{');
    const auto literal = uri_template.substr(0, open);
    if (!uri.starts_with(literal)) return {};
    uri.remove_prefix(literal.size());
    if (open == std::string_view::npos) return uri.empty() ? variables : Json();
    const auto close = uri_template.find('}', open);
    const std::string name(uri_template.substr(open + 1, close - open - 1));
    uri_template.remove_prefix(close + 1);
    const auto next = uri_template.substr(0, uri_template.find('{'));
    const auto end = next.empty() ? uri.size() : uri.find(next);
    if (end == std::string_view::npos || end == 0) return {};
    const auto value = uri.substr(0, end);
    if (!std::ranges::all_of(value, [](unsigned char c) {
          return std::isalnum(c) != 0 ||
                 std::string_view("-._~%").find(static_cast<char>(c)) != std::string_view::npos;
        }))
      return {};
    variables[name] = value;
    uri.remove_prefix(end);
  }
}

}  // namespace toolway::tools::specs
