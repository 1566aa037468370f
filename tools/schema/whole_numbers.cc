#include "tools/schema/whole_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_pointer.h"
#include "tools/schema/pattern.h"

namespace toolway::tools::schema {
namespace {

/// A number that is written as one with a fraction, and is a whole one of 64 bits.
bool is_whole(const Json& value) {
  if (!value.is_number_float()) return false;
  const double number = value.get<double>();
  return number >= -9223372036854775808.0 && number < 18446744073709551616.0 &&
         number == std::trunc(number);
}

bool holds_whole(const Json& value) {
  if (value.is_structured()) return std::any_of(value.begin(), value.end(), holds_whole);
  return is_whole(value);
}

/// A schema that applies to a value: surely, or as one of several alternatives.
struct Applied {
  const Json* schema;
  bool surely;
};
using AppliedSchemas = std::vector<Applied>;

bool says(const Json& schema, std::string_view type) {
  const auto found = schema.find("type");
  if (found == schema.end()) return false;
  return found->is_array() ? std::find(found->begin(), found->end(), type) != found->end()
                           : *found == type;
}

bool wants_integer(const AppliedSchemas& schemas) {
  bool integer = false;
  bool number = false;
  for (const auto& [schema, surely] : schemas) {
    const bool any_number = says(*schema, "number");
    const bool integers_only = !any_number && says(*schema, "integer");
    if (integers_only && surely) return true;
    integer = integer || integers_only;
    number = number || any_number;
  }
  return integer && !number;
}

class Normalization {
 public:
  explicit Normalization(const PreparedSchema& prepared) : prepared_(prepared) {}

  /// Whether anything changed.
  bool value(Json& value, const AppliedSchemas& schemas) {
    if (is_whole(value)) {
      if (!wants_integer(schemas)) return false;
      const double number = value.get<double>();
      if (number < 0)
        value = static_cast<std::int64_t>(number);
      else
        value = static_cast<std::uint64_t>(number);
      return true;
    }
    bool changed = false;
    if (value.is_object()) {
      for (auto& [name, inside] : value.items()) {
        if (holds_whole(inside)) changed = this->value(inside, member(name, schemas)) || changed;
      }
    } else if (value.is_array()) {
      changed = items(value, schemas);
    }
    return changed;
  }

  /// A schema with all that it makes apply to the same value.
  void apply(const Json& schema, bool surely, AppliedSchemas& to) {
    if (!schema.is_object()) return;
    for (auto& known : to) {
      if (known.schema == &schema && (known.surely || !surely)) return;
    }
    to.push_back({&schema, surely});
    for (const char* keyword : {"$ref", "$dynamicRef"}) {
      if (const auto found = schema.find(keyword); found != schema.end() && found->is_string()) {
        const auto* target = target_of(found->get_ref<const std::string&>());
        if (target != nullptr) apply(*target, surely, to);
      }
    }
    for (const char* keyword : {"allOf", "anyOf", "oneOf"}) {
      const auto found = schema.find(keyword);
      if (found == schema.end() || !found->is_array()) continue;
      const bool all = std::string_view(keyword) == "allOf";
      for (const auto& one : *found) apply(one, surely && all, to);
    }
    for (const char* keyword : {"then", "else"}) {
      if (const auto found = schema.find(keyword); found != schema.end()) apply(*found, false, to);
    }
    if (const auto found = schema.find("dependentSchemas");
        found != schema.end() && found->is_object()) {
      for (const auto& one : *found) apply(one, false, to);
    }
  }

 private:
  const Json* target_of(const std::string& reference) const {
    if (!reference.starts_with('#')) return nullptr;
    const auto anchor = prepared_.anchors.find(reference.substr(1));
    return value_at(prepared_.schema,
                    anchor == prepared_.anchors.end() ? reference.substr(1) : anchor->second);
  }

  bool matches(const std::string& pattern, const std::string& name) {
    auto known = patterns_.find(pattern);
    if (known == patterns_.end())
      known = patterns_.emplace(pattern, Pattern::create(pattern)).first;
    return known->second && known->second->found_in(name);
  }

  AppliedSchemas member(const std::string& name, const AppliedSchemas& schemas) {
    AppliedSchemas found;
    for (const auto& [schema, surely] : schemas) {
      bool known = false;
      if (const auto properties = schema->find("properties"); properties != schema->end()) {
        if (const auto one = properties->find(name); one != properties->end()) {
          known = true;
          apply(*one, surely, found);
        }
      }
      if (const auto patterns = schema->find("patternProperties"); patterns != schema->end()) {
        for (const auto& [pattern, one] : patterns->items()) {
          if (!matches(pattern, name)) continue;
          known = true;
          apply(one, surely, found);
        }
      }
      for (const char* keyword : {"additionalProperties", "unevaluatedProperties"}) {
        const auto rest = schema->find(keyword);
        if (!known && rest != schema->end()) apply(*rest, surely, found);
      }
    }
    return found;
  }

  bool items(Json& list, const AppliedSchemas& schemas) {
    // What applies to the items after those that have schemas of their own.
    std::size_t own = 0;
    AppliedSchemas rest;
    for (const auto& [schema, surely] : schemas) {
      if (const auto first = schema->find("prefixItems"); first != schema->end())
        own = std::max(own, first->size());
      for (const char* keyword : {"items", "unevaluatedItems"}) {
        if (const auto found = schema->find(keyword); found != schema->end())
          apply(*found, surely, rest);
      }
    }
    bool changed = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (holds_whole(list[i]))
        changed = value(list[i], i < own ? item(i, schemas) : rest) || changed;
    }
    return changed;
  }

  AppliedSchemas item(std::size_t index, const AppliedSchemas& schemas) {
    AppliedSchemas found;
    for (const auto& [schema, surely] : schemas) {
      const auto first = schema->find("prefixItems");
      if (first != schema->end() && index < first->size()) {
        apply((*first)[index], surely, found);
      } else if (const auto rest = schema->find("items"); rest != schema->end()) {
        apply(*rest, surely, found);
      }
    }
    return found;
  }

  const PreparedSchema& prepared_;
  std::map<std::string, tl::expected<Pattern, std::string>> patterns_;
};

}  // namespace

std::optional<Json> with_integers(const Json& document, const PreparedSchema& prepared) {
  if (!holds_whole(document)) return std::nullopt;
  Normalization normalization(prepared);
  AppliedSchemas schemas;
  normalization.apply(prepared.schema, true, schemas);
  Json changed = document;
  if (!normalization.value(changed, schemas)) return std::nullopt;
  return changed;
}

}  // namespace toolway::tools::schema
