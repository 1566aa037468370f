#include "tools/exports/api_schema.h"

#include <array>
#include <string_view>

#include "base/utf8.h"

namespace toolway::tools::exports {
namespace {

constexpr std::array<std::string_view, 3> kCompositions{"oneOf", "anyOf", "allOf"};
constexpr std::array<std::string_view, 3> kOtherRefused{"enum", "const", "not"};
constexpr int kDeepest = 64;

bool is_openai(Format format) {
  return format == Format::kOpenAi || format == Format::kOpenAiResponses;
}

/// The schema that `branch` means: itself, or what its local reference names.
const OrderedJson& target_of(const OrderedJson& branch, const OrderedJson& root) {
  const auto reference = branch.find("$ref");
  if (reference == branch.end() || !reference->is_string()) return branch;
  const auto& text = reference->get_ref<const std::string&>();
  if (!text.starts_with("#/")) return branch;
  try {
    const OrderedJson::json_pointer pointer(text.substr(1));
    return root.contains(pointer) ? root.at(pointer) : branch;
  } catch (const OrderedJson::exception&) {
    return branch;
  }
}

/// Takes the compositions out of the top level, and keeps the names that they brought.
void flatten(OrderedJson& schema, const OrderedJson& root) {
  OrderedJson brought = OrderedJson::object();
  for (const auto word : kCompositions) {
    const auto found = root.find(word);
    if (found == root.end()) continue;
    schema.erase(std::string(word));
    if (!found->is_array()) continue;
    for (const auto& branch : *found) {
      if (!branch.is_object()) continue;
      const auto& meant = target_of(branch, root);
      const auto properties = meant.find("properties");
      if (properties == meant.end() || !properties->is_object()) continue;
      for (const auto& [name, property] : properties->items()) {
        if (!brought.contains(name)) brought[name] = property;
      }
    }
  }
  if (brought.empty()) return;
  auto& properties = schema["properties"];
  if (!properties.is_object()) properties = OrderedJson::object();
  for (const auto& [name, property] : brought.items()) {
    if (!properties.contains(name)) properties[name] = property;
  }
}

bool says_array(const OrderedJson& schema) {
  const auto type = schema.find("type");
  if (type == schema.end()) return false;
  if (type->is_string()) return *type == "array";
  if (!type->is_array()) return false;
  for (const auto& each : *type) {
    if (each == "array") return true;
  }
  return false;
}

/// Gives every array `items`, wherever a schema may be.
void give_items(OrderedJson& schema, int depth) {
  if (!schema.is_object() || depth > kDeepest) return;
  for (auto& [word, value] : schema.items()) {
    if (word == "properties" || word == "patternProperties" || word == "$defs" ||
        word == "definitions" || word == "dependentSchemas") {
      if (!value.is_object()) continue;
      for (auto& each : value) give_items(each, depth + 1);
    } else if (word == "oneOf" || word == "anyOf" || word == "allOf" || word == "prefixItems") {
      if (!value.is_array()) continue;
      for (auto& each : value) give_items(each, depth + 1);
    } else if (word == "items" || word == "additionalProperties" || word == "contains" ||
               word == "not" || word == "if" || word == "then" || word == "else") {
      give_items(value, depth + 1);
    }
  }
  if (says_array(schema) && !schema.contains("items")) schema["items"] = OrderedJson::object();
}

}  // namespace

OrderedJson api_parameters(const OrderedJson& schema, Format format) {
  const bool changes = is_openai(format) || format == Format::kAnthropic;
  if (!changes || !schema.is_object()) return schema;
  OrderedJson adapted = schema;
  flatten(adapted, schema);
  if (!is_openai(format)) return adapted;
  for (const auto word : kOtherRefused) adapted.erase(std::string(word));
  if (!adapted.contains("properties")) adapted["properties"] = OrderedJson::object();
  give_items(adapted, 0);
  return adapted;
}

std::string api_description(const std::string& description, Format format) {
  constexpr std::size_t kMaxCharacters = 1024;
  if (format != Format::kOpenAi || description.size() <= kMaxCharacters) return description;
  std::size_t characters = 0;
  std::size_t cut = 0;  // where character kMaxCharacters begins, to make room for the sign
  for (std::size_t i = 0; i < description.size(); ++i) {
    if (continues_character(description[i])) continue;
    if (++characters == kMaxCharacters) cut = i;
  }
  return characters <= kMaxCharacters ? description : description.substr(0, cut) + "…";
}

}  // namespace toolway::tools::exports
