#include "tools/schema/schema_form.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace toolway::tools::schema {
namespace {

bool is_text(const Json& value) { return value.is_string(); }
bool is_number(const Json& value) { return value.is_number(); }
bool is_flag(const Json& value) { return value.is_boolean(); }
bool is_list(const Json& value) { return value.is_array(); }
bool is_anything(const Json&) { return true; }
bool is_positive(const Json& value) { return value.is_number() && value.get<double>() > 0; }
/// 1.0 is one as well, for the meta-schema.
bool is_count(const Json& value) { return value.is_number_unsigned(); }

bool distinct(const Json& list) {
  for (auto item = list.begin(); item != list.end(); ++item) {
    if (std::find(list.begin(), item, *item) != item) return false;
  }
  return true;
}

bool is_texts(const Json& value) {
  constexpr std::size_t kMaxCompared = 100;
  return value.is_array() && value.size() <= kMaxCompared &&
         std::all_of(value.begin(), value.end(), is_text) && distinct(value);
}

bool is_type_name(const Json& value) {
  constexpr std::array<std::string_view, 7> kTypes{"array",  "boolean", "integer", "null",
                                                   "number", "object",  "string"};
  return value.is_string() && std::find(kTypes.begin(), kTypes.end(),
                                        value.get_ref<const std::string&>()) != kTypes.end();
}

bool is_type(const Json& value) {
  if (!value.is_array()) return is_type_name(value);
  return !value.empty() && std::all_of(value.begin(), value.end(), is_type_name) && distinct(value);
}

bool are_schemas(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(), surely_a_schema);
}

bool is_map_of_schemas(const Json& value) {
  return value.is_object() && std::all_of(value.begin(), value.end(), surely_a_schema);
}

struct Keyword {
  std::string_view name;
  bool (*takes)(const Json&);
};

/// By the vocabularies of 2020-12. What is not here (identities, references, formats of
/// `patternProperties`, unknown words) is for the meta-schema.
constexpr std::array kKeywords{
    Keyword{"type", is_type},
    Keyword{"properties", is_map_of_schemas},
    Keyword{"required", is_texts},
    Keyword{"additionalProperties", surely_a_schema},
    Keyword{"description", is_text},
    Keyword{"items", surely_a_schema},
    Keyword{"enum", is_list},
    Keyword{"const", is_anything},
    Keyword{"default", is_anything},
    Keyword{"examples", is_list},
    Keyword{"title", is_text},
    Keyword{"minimum", is_number},
    Keyword{"maximum", is_number},
    Keyword{"exclusiveMinimum", is_number},
    Keyword{"exclusiveMaximum", is_number},
    Keyword{"multipleOf", is_positive},
    Keyword{"minLength", is_count},
    Keyword{"maxLength", is_count},
    Keyword{"pattern", is_text},
    Keyword{"format", is_text},
    Keyword{"minItems", is_count},
    Keyword{"maxItems", is_count},
    Keyword{"uniqueItems", is_flag},
    Keyword{"minProperties", is_count},
    Keyword{"maxProperties", is_count},
    Keyword{"anyOf", are_schemas},
    Keyword{"oneOf", are_schemas},
    Keyword{"allOf", are_schemas},
    Keyword{"not", surely_a_schema},
    Keyword{"if", surely_a_schema},
    Keyword{"then", surely_a_schema},
    Keyword{"else", surely_a_schema},
    Keyword{"deprecated", is_flag},
    Keyword{"readOnly", is_flag},
    Keyword{"writeOnly", is_flag},
};

}  // namespace

bool surely_a_schema(const Json& schema) {
  if (schema.is_boolean()) return true;
  if (!schema.is_object()) return false;
  return std::all_of(schema.items().begin(), schema.items().end(), [](const auto& member) {
    const auto keyword = std::find_if(kKeywords.begin(), kKeywords.end(),
                                      [&](const Keyword& one) { return one.name == member.key(); });
    return keyword != kKeywords.end() && keyword->takes(member.value());
  });
}

}  // namespace toolway::tools::schema
