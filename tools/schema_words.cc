#include "tools/schema_words.h"

#include <fmt/format.h>

#include <cctype>
#include <vector>

#include "tools/nearest_names.h"

namespace toolway::tools {
namespace {

constexpr std::size_t kLongestShown = 80;

/// Cut at a character, not inside one.
std::string shortened(std::string text) {
  if (text.size() <= kLongestShown) return text;
  std::size_t end = kLongestShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string shown(const Json& value) { return shortened(to_text(value)); }

const Json* at(const Json& root, const std::string& pointer) {
  try {
    const Json::json_pointer where(pointer);
    return root.contains(where) ? &root.at(where) : nullptr;
  } catch (const Json::exception&) {
    return nullptr;
  }
}

/// The words of JSON Schema, which tell integers from other numbers.
std::string_view type_of(const Json& value) {
  return value.is_number_integer() ? "integer" : value.type_name();
}

std::string expected_types(const Json& type) {
  if (type.is_string()) return type.get<std::string>();
  std::string text;
  for (std::size_t i = 0; i < type.size(); ++i) {
    if (i > 0) text += i + 1 == type.size() ? " or " : ", ";
    text += type[i].get<std::string>();
  }
  return text;
}

/// jsoncons names properties between its first and last apostrophe.
std::string quoted_name(std::string_view message) {
  const auto first = message.find('\'');
  const auto last = message.rfind('\'');
  if (first == std::string_view::npos || first == last) return {};
  return std::string(message.substr(first + 1, last - first - 1));
}

std::string token(std::string text) {
  nlohmann::detail::replace_substring(text, std::string("~"), std::string("~0"));
  nlohmann::detail::replace_substring(text, std::string("/"), std::string("~1"));
  return text;
}

std::vector<std::string> property_names(const Json& schema) {
  std::vector<std::string> names;
  if (const auto properties = schema.find("properties"); properties != schema.end()) {
    for (const auto& [name, unused] : properties->items()) names.push_back(name);
  }
  return names;
}

std::string unknown_property(const std::string& name, const Json& schema) {
  const auto known = property_names(schema);
  std::string text = fmt::format("unknown property '{}'", shortened(name));
  if (known.empty()) return text + "; none is expected";
  if (const auto near = nearest_names(name, known, 1); !near.empty()) {
    text += fmt::format("; did you mean '{}'?", near[0]);
  }
  return text + fmt::format(" (known: {})", fmt::join(known, ", "));
}

std::string plain(std::string text) {
  if (!text.empty() && text.back() == '.') text.pop_back();
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return shortened(std::move(text));
}

/// A property that only `additionalProperties` (a map's values) speaks of.
Violation bad_entry(const Finding& finding, const Json& entries, const Json& document) {
  const std::string name = quoted_name(finding.message);
  Violation violation{finding.path + "/" + token(name), finding.keyword, {}};
  const Json* value = at(document, violation.path);
  const auto type = entries.is_object() ? entries.find("type") : entries.end();
  if (value != nullptr && type != entries.end() && *type != type_of(*value)) {
    violation.message = fmt::format("expected {}, found {}", expected_types(*type), type_of(*value));
    violation.keyword = "type";
  } else {
    violation.message = fmt::format("must match {}", shown(entries));
  }
  return violation;
}

std::string words(const Finding& finding, const Json& schema, const Json& value) {
  const std::string& keyword = finding.keyword;
  const auto found = schema.find(keyword);
  if (found == schema.end()) return plain(finding.message);
  const Json& limit = *found;
  if (keyword == "type") {
    return fmt::format("expected {}, found {}", expected_types(limit), type_of(value));
  }
  if (keyword == "enum") {
    std::string choices;
    for (const auto& choice : limit) choices += (choices.empty() ? "" : ", ") + to_text(choice);
    return fmt::format("expected one of {}; found {}", choices, shown(value));
  }
  if (keyword == "const") return fmt::format("expected {}, found {}", shown(limit), shown(value));
  if (keyword == "minimum") return fmt::format("expected at least {}, found {}", shown(limit), shown(value));
  if (keyword == "maximum") return fmt::format("expected at most {}, found {}", shown(limit), shown(value));
  if (keyword == "exclusiveMinimum") return fmt::format("expected more than {}, found {}", shown(limit), shown(value));
  if (keyword == "exclusiveMaximum") return fmt::format("expected less than {}, found {}", shown(limit), shown(value));
  if (keyword == "multipleOf") return fmt::format("expected a multiple of {}, found {}", shown(limit), shown(value));
  if (keyword == "minLength") return fmt::format("expected at least {} characters", shown(limit));
  if (keyword == "maxLength") return fmt::format("expected at most {} characters", shown(limit));
  if (keyword == "pattern") return fmt::format("expected a string that matches {}, found {}", to_text(limit), shown(value));
  if (keyword == "minItems") return fmt::format("expected at least {} items, found {}", shown(limit), value.size());
  if (keyword == "maxItems") return fmt::format("expected at most {} items, found {}", shown(limit), value.size());
  if (keyword == "minProperties") return fmt::format("expected at least {} properties, found {}", shown(limit), value.size());
  if (keyword == "maxProperties") return fmt::format("expected at most {} properties, found {}", shown(limit), value.size());
  return plain(finding.message);
}

/// The schema that holds the keyword: jsoncons points at one or the other.
const Json* holder(const Finding& finding, const Json& schema) {
  const std::string end = "/" + finding.keyword;
  if (finding.schema_path.ends_with(end)) {
    const Json* parent = at(schema, finding.schema_path.substr(0, finding.schema_path.size() - end.size()));
    if (parent != nullptr && parent->is_object() && parent->contains(finding.keyword)) return parent;
  }
  const Json* self = at(schema, finding.schema_path);
  return self != nullptr && self->is_object() ? self : nullptr;
}

}  // namespace

Violation in_words(const Finding& finding, const Json& schema, const Json& document) {
  Violation violation{finding.path, finding.keyword, {}};
  if (finding.keyword == "required") {
    violation.message = fmt::format("missing required property '{}'", quoted_name(finding.message));
    return violation;
  }
  const Json* held = holder(finding, schema);
  const Json* value = at(document, finding.path);
  if (held == nullptr || value == nullptr) {
    violation.message = plain(finding.message);
    return violation;
  }
  if (finding.keyword == "additionalProperties" && held->contains("additionalProperties")) {
    const Json& entries = held->at("additionalProperties");
    if (entries != false) return bad_entry(finding, entries, document);
    violation.message = unknown_property(quoted_name(finding.message), *held);
    return violation;
  }
  violation.message = words(finding, *held, *value);
  return violation;
}

}  // namespace toolway::tools
