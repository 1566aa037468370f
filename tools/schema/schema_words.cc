#include "tools/schema/schema_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cctype>
#include <vector>

#include "base/json_pointer.h"
#include "base/nearest_names.h"
#include "base/text.h"
#include "base/utf8.h"

namespace toolway::tools::schema {
namespace {

constexpr std::size_t kMaxShown = 80;

/// Cut at a character, not inside one.
std::string shortened(std::string text) {
  if (text.size() <= kMaxShown) return text;
  return std::string(utf8_prefix(text, kMaxShown)) + "…";
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
    text[0] = lower_letter(text[0]);
  }
  return shortened(std::move(text));
}

/// A property that only `additionalProperties` (a map's values) speaks of.
Violation bad_entry(const Finding& finding, const Json& entries, const Json& document) {
  const std::string name = quoted_name(finding.message);
  Violation violation{
      .place = pointer_to(finding.path, name), .message = {}, .keyword = finding.keyword};
  const Json* value = at(document, violation.place);
  const auto type = entries.is_object() ? entries.find("type") : entries.end();
  if (value != nullptr && type != entries.end() && *type != type_of(*value)) {
    violation.message =
        fmt::format("expected {}, found {}", expected_types(*type), type_of(*value));
    violation.keyword = "type";
  } else {
    violation.message = fmt::format("must match {}", shown(entries));
  }
  return violation;
}

struct Form {
  std::string_view keyword;
  const char* text;            ///< {0}: what the schema says, {1}: what the document has
  std::string_view counted{};  ///< what the schema's number counts
};

constexpr std::array kForms{
    Form{"const", "expected {0}, found {1}"},
    Form{"minimum", "expected at least {0}, found {1}"},
    Form{"maximum", "expected at most {0}, found {1}"},
    Form{"exclusiveMinimum", "expected more than {0}, found {1}"},
    Form{"exclusiveMaximum", "expected less than {0}, found {1}"},
    Form{"multipleOf", "expected a multiple of {0}, found {1}"},
    Form{"pattern", "expected a string that matches {0}, found {1}"},
    Form{"minLength", "expected at least {0}", "character"},
    Form{"maxLength", "expected at most {0}", "character"},
    Form{"minItems", "expected at least {0}, found {1}", "item"},
    Form{"maxItems", "expected at most {0}, found {1}", "item"},
    Form{"minProperties", "expected at least {0}, found {1}", "property"},
    Form{"maxProperties", "expected at most {0}, found {1}", "property"},
};

const Form* form_of(std::string_view keyword) {
  for (const auto& form : kForms) {
    if (form.keyword == keyword) return &form;
  }
  return nullptr;
}

/// What is counted, for keywords that count; otherwise the value.
std::string amount(std::string_view keyword, const Json& value) {
  const bool counts = keyword.ends_with("Items") || keyword.ends_with("Properties");
  return counts ? std::to_string(value.size()) : shown(value);
}

std::string words(const Finding& finding, const Json& schema, const Json& value) {
  const std::string& keyword = finding.keyword;
  const auto found = schema.find(keyword);
  if (found == schema.end()) return plain(finding.message);
  const Json& limit = *found;
  if (keyword == "type") {
    return fmt::format("expected {}, found {}", expected_types(limit), type_of(value));
  }
  if (const auto* form = form_of(keyword)) {
    const auto said =
        form->counted.empty() ? shown(limit) : quantity(limit.get<std::uint64_t>(), form->counted);
    return fmt::format(fmt::runtime(form->text), said, amount(keyword, value));
  }
  if (keyword == "enum") {
    std::string choices;
    for (const auto& choice : limit) choices += (choices.empty() ? "" : ", ") + to_text(choice);
    return fmt::format("expected one of {}; found {}", choices, shown(value));
  }
  return plain(finding.message);
}

/// The schema that holds the keyword: jsoncons points at one or the other.
const Json* holder(const Finding& finding, const Json& schema) {
  const std::string end = "/" + finding.keyword;
  if (finding.schema_path.ends_with(end)) {
    const Json* parent =
        at(schema, finding.schema_path.substr(0, finding.schema_path.size() - end.size()));
    if (parent != nullptr && parent->is_object() && parent->contains(finding.keyword))
      return parent;
  }
  const Json* self = at(schema, finding.schema_path);
  return self != nullptr && self->is_object() ? self : nullptr;
}

}  // namespace

Violation in_words(const Finding& finding, const Json& schema, const Json& document) {
  Violation violation{.place = finding.path, .message = {}, .keyword = finding.keyword};
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

std::string quoted_name(std::string_view message) {
  const auto first = message.find('\'');
  const auto last = message.rfind('\'');
  if (first == std::string_view::npos || first == last) return {};
  return std::string(message.substr(first + 1, last - first - 1));
}

std::string bad_name(const std::string& name, const std::string& why) {
  return fmt::format("property name '{}': {}", shortened(name), why);
}

std::string quantity(std::uint64_t number, std::string_view noun) {
  if (number == 1) return fmt::format("1 {}", noun);
  if (noun.ends_with('y')) return fmt::format("{} {}ies", number, noun.substr(0, noun.size() - 1));
  return fmt::format("{} {}s", number, noun);
}

}  // namespace toolway::tools::schema
