#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include "base/base64.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/utf8.h"
#include "tools/specs/fields.h"
#include "tools/specs/offers.h"
#include "tools/specs/trees.h"
#include "tools/templates/double_braces.h"

namespace toolway::tools::specs {
namespace {

constexpr std::size_t kMaxOffered = 1000;
/// Of the files that one spec file names: a gateway keeps what they hold.
constexpr std::size_t kMaxContents = 32 * 1024 * 1024;

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

/// Numbers that tell versions apart: of texts, each with its length.
std::uint64_t digest_of(std::initializer_list<std::string_view> texts) {
  Sha256 sum;
  for (const auto text : texts) {
    sum.add(fmt::format("{}:", text.size()));
    sum.add(text);
  }
  const auto digest = std::stoull(sum.hex(sizeof(std::uint64_t)), nullptr, 16);
  return digest == 0 ? 1 : digest;
}

std::uint64_t digest_of(const Prompt& prompt, std::string_view messages) {
  Json rest = Json::array();
  for (const auto& argument : prompt.arguments)
    rest.push_back({argument.name, argument.description, argument.required});
  for (const auto& asked : prompt.asks)
    rest.push_back({asked.key, asked.message, to_text(asked.schema)});
  return digest_of(
      {prompt.ns, prompt.name, prompt.title, prompt.description, to_text(rest), messages});
}

/// By the end of its name; empty: the content decides.
std::string_view type_of_name(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {".md", "text/markdown"},      {".json", "application/json"}, {".html", "text/html"},
      {".css", "text/css"},          {".csv", "text/csv"},          {".xml", "application/xml"},
      {".yaml", "application/yaml"}, {".yml", "application/yaml"},  {".svg", "image/svg+xml"},
      {".png", "image/png"},         {".jpg", "image/jpeg"},        {".jpeg", "image/jpeg"},
      {".gif", "image/gif"},         {".webp", "image/webp"},       {".pdf", "application/pdf"},
      {".mp3", "audio/mpeg"},        {".wav", "audio/wav"}};
  for (const auto& [end, type] : kTypes)
    if (name.ends_with(end)) return type;
  return {};
}

class OfferReader {
 public:
  OfferReader(const ReadContent& content, Mistakes& mistakes)
      : content_(content), mistakes_(mistakes) {}

  void read(const Located* prompts, const Located* resources) {
    each_of(prompts, "prompt", mistakes_,
            [&](Fields& fields, auto before) { read_prompt(fields, before); });
    each_of(resources, "resource", mistakes_,
            [&](Fields& fields, auto before) { read_resource(fields, before); });
  }
  ReadOffers take() { return std::move(read_); }

 private:
  void read_prompt(Fields& fields, std::size_t before) {
    Prompt prompt;
    fields.required_text("name", prompt.name);
    fields.text("namespace", prompt.ns);
    fields.text("title", prompt.title);
    fields.text("description", prompt.description);
    read_arguments(fields, prompt);
    read_questions(fields, prompt);
    read_messages(fields, prompt);
    fields.nothing_else();
    if (!names_.emplace(prompt.ns, prompt.name).second)
      fields.wrong("name", fmt::format("prompt {} already exists", in_quotes(prompt.name)));
    if (mistakes_.count() != before) return;
    const auto messages = to_text(prompt.messages);
    prompt.bytes = messages.size();
    prompt.digest = digest_of(prompt, messages);
    read_.offers.prompts.push_back(std::make_shared<const Prompt>(std::move(prompt)));
  }

  void read_resource(Fields& fields, std::size_t before) {
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
    if (!resource.blob.empty() && (!resource.text.empty() || !from_base64(resource.blob)))
      fields.wrong("blob", "`blob` is base64, and instead of `text`");
    read_file(fields, resource);
    fields.nothing_else();
    if (resource.is_template) check_template(fields, resource);
    if (mistakes_.count() != before) return;
    resource.listed =
        digest_of({resource.is_template ? "template" : "", resource.ns, resource.uri, resource.name,
                   resource.title, resource.description, resource.mime_type});
    resource.content = digest_of({resource.mime_type, resource.text, resource.blob});
    read_.offers.resources.push_back(std::make_shared<const Resource>(std::move(resource)));
  }

  /// Takes the content from the file that a resource names, if it does.
  void read_file(Fields& fields, Resource& resource) {
    if (fields.find("file") == nullptr) return;
    const auto* named = fields.text("file");
    if (named == nullptr) return;
    if (fields.find("text") != nullptr || fields.find("blob") != nullptr)
      return fields.wrong("file", "`file` is instead of `text` and `blob`");
    if (!content_)
      return fields.wrong("file", "`file` is for specs in files: write `text` or `blob` here");
    auto content = content_(mistakes_.origin(), *named);
    if (!content.file.path.empty()) read_.files.push_back(std::move(content.file));
    if (!content.bytes)
      return fields.wrong(
          "file", fmt::format("`file` {} {}", in_quotes(*named), content.bytes.error().message));
    bytes_ += content.bytes->size();
    if (bytes_ > kMaxContents)
      return fields.wrong("file",
                          fmt::format("the files that resources name here have more than {} "
                                      "MiB together",
                                      kMaxContents >> 20U));
    const bool is_text =
        valid_utf8(*content.bytes) && content.bytes->find('\0') == std::string::npos;
    if (resource.mime_type.empty()) resource.mime_type = type_of_name(*named);
    if (resource.mime_type.empty())
      resource.mime_type = is_text ? "text/plain" : "application/octet-stream";
    if (is_text) {
      resource.text = *std::move(content.bytes);
    } else {
      resource.blob = base64(*content.bytes);
    }
  }

  const ReadContent& content_;
  Mistakes& mistakes_;
  ReadOffers read_;
  std::set<std::pair<std::string, std::string>> names_;  ///< of prompts, with their namespaces
  std::size_t bytes_ = 0;                                ///< of files
};

}  // namespace

ReadOffers read_offers(const Located* prompts, const Located* resources, const ReadContent& content,
                       Mistakes& mistakes) {
  OfferReader reader(content, mistakes);
  reader.read(prompts, resources);
  return reader.take();
}

Json match_uri(std::string_view uri_template, std::string_view uri) {
  if (!uri.starts_with(uri_template.substr(0, uri_template.find('{')))) return {};
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
    auto decoded = percent_decoded(value);
    if (!decoded || !valid_utf8(*decoded)) return {};
    variables[name] = *std::move(decoded);
    uri.remove_prefix(end);
  }
}

}  // namespace toolway::tools::specs
