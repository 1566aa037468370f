#include "gateway/api_docs/schema_html.h"

#include <fmt/format.h>
#include "base/markup.h"

#include <algorithm>

#include "gateway/api_docs/html.h"

namespace toolway::gateway::api_docs {
namespace {

std::string code(const OrderedJson& value) {
  return "<code>" + escape_markup(to_text(value)) + "</code>";
}

std::string joined(const OrderedJson& list, std::string_view between, auto write) {
  std::string out;
  for (const auto& item : list) out.append(out.empty() ? "" : between).append(write(item));
  return out;
}

/// `array of …` names what it holds.
std::string named_type(const OrderedJson& schema, const std::string& type) {
  if (type != "array" || !schema.contains("items")) return escape_markup(type);
  return "array of " + type_html(schema["items"]);
}

/// What else its values must be.
std::string bounds_html(const OrderedJson& schema) {
  struct Bound {
    const char* key;
    const char* words;
  };
  constexpr Bound kBounds[] = {{"format", "format "},
                               {"pattern", "pattern "},
                               {"minimum", "at least "},
                               {"maximum", "at most "},
                               {"minLength", "characters, at least "},
                               {"maxLength", "characters, at most "},
                               {"minItems", "items, at least "},
                               {"maxItems", "items, at most "},
                               {"default", "default "}};
  std::string out;
  for (const auto& [key, words] : kBounds) {
    const auto found = schema.find(key);
    if (found == schema.end()) continue;
    const bool bare = found->is_string() && std::string_view(key) != "default";
    out.append(out.empty() ? "" : "; ").append(words);
    out += bare ? "<code>" + escape_markup(found->get<std::string>()) + "</code>" : code(*found);
  }
  return out;
}

bool is_required(const OrderedJson& schema, const std::string& name) {
  const auto found = schema.find("required");
  return found != schema.end() && std::find(found->begin(), found->end(), name) != found->end();
}

std::string member_html(const std::string& name, const OrderedJson& member, bool required) {
  std::string out =
      fmt::format("<div><dt><code>{}</code> <i>{}</i>{}</dt><dd>", escape_markup(name),
                  type_html(member), required ? " <b>always</b>" : "");
  if (member.contains("description"))
    out += "<p>" + prose(member["description"].get<std::string>()) + "</p>";
  if (const auto bounds = bounds_html(member); !bounds.empty())
    out += "<p class=\"bounds\">" + bounds + "</p>";
  const bool list = member.contains("items") && !member["items"].contains("$ref");
  out += members_html(list ? member["items"] : member);
  return out + "</dd></div>";
}

/// Without the frame of a list, so that parts of a whole stand in one.
std::string rows_html(const OrderedJson& schema) {
  std::string out;
  if (const auto all = schema.find("allOf"); all != schema.end()) {
    for (const auto& part : *all) {
      if (part.contains("$ref"))
        out += "<div><dt>everything of " + type_html(part) + "</dt><dd></dd></div>";
      else
        out += rows_html(part);
    }
  }
  if (const auto members = schema.find("properties"); members != schema.end())
    for (const auto& [name, member] : members->items())
      out += member_html(name, member, is_required(schema, name));
  return out;
}

}  // namespace

std::string ref_name(const OrderedJson& node) {
  const auto ref = node.value("$ref", std::string());
  return ref.substr(ref.rfind('/') + 1);
}

std::string type_html(const OrderedJson& schema) {
  if (!schema.is_object() || schema.empty()) return "anything";
  if (schema.contains("$ref")) {
    const auto name = escape_markup(ref_name(schema));
    return fmt::format("<a href=\"#schema-{0}\">{0}</a>", name);
  }
  if (schema.contains("const")) return code(schema["const"]);
  if (schema.contains("enum")) return joined(schema["enum"], " | ", code);
  for (const char* choice : {"anyOf", "oneOf"})
    if (schema.contains(choice)) return joined(schema[choice], " or ", type_html);
  if (schema.contains("allOf") && !schema.contains("type")) {
    const auto& all = schema["allOf"];
    return all.size() == 1 ? type_html(all[0]) : "object";
  }
  const auto type = schema.find("type");
  if (type == schema.end()) return "anything";
  if (!type->is_array()) return named_type(schema, type->get<std::string>());
  return joined(*type, " or ", [&](const auto& one) {
    return named_type(schema, one.template get<std::string>());
  });
}

std::string members_html(const OrderedJson& schema) {
  if (!schema.is_object()) return {};
  std::string out;
  for (const char* choice : {"anyOf", "oneOf"}) {
    const auto found = schema.find(choice);
    if (found == schema.end()) continue;
    for (const auto& one : *found)
      if (!one.contains("$ref")) out += members_html(one);
  }
  if (const auto rows = rows_html(schema); !rows.empty()) out += "<dl>" + rows + "</dl>";
  return out;
}

const OrderedJson* example_of(const OrderedJson& schema) {
  if (const auto found = schema.find("examples");
      found != schema.end() && found->is_array() && !found->empty())
    return &found->front();
  const auto found = schema.find("example");
  return found == schema.end() ? nullptr : &*found;
}

std::string example_html(const OrderedJson& example) {
  const auto text = example.is_string() ? example.get<std::string>() : example.dump(2);
  return "<pre>" + escape_markup(text) + "</pre>";
}

}  // namespace toolway::gateway::api_docs
