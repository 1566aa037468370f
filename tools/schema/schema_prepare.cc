#include "tools/schema/schema_prepare.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_pointer.h"
#include "base/try.h"

namespace toolway::tools::schema {
namespace {

constexpr std::string_view kDefinitions = "definitions";
constexpr std::string_view kDraft = "https://json-schema.org/draft/2020-12/schema";

enum class Place { kSame, kChild };  ///< does it apply to the same value, or to one inside?
enum class Shape { kOne, kList, kMap };

struct Applicator {
  std::string_view keyword;
  Shape shape;
  Place place;
};

/// Where schemas are inside a schema (JSON Schema 2020-12, core §10 and §11, validation §8.5).
constexpr std::array kApplicators{
    Applicator{"$defs", Shape::kMap, Place::kChild},
    Applicator{kDefinitions, Shape::kMap, Place::kChild},
    Applicator{"properties", Shape::kMap, Place::kChild},
    Applicator{"patternProperties", Shape::kMap, Place::kChild},
    Applicator{"dependentSchemas", Shape::kMap, Place::kSame},
    Applicator{"allOf", Shape::kList, Place::kSame},
    Applicator{"anyOf", Shape::kList, Place::kSame},
    Applicator{"oneOf", Shape::kList, Place::kSame},
    Applicator{"prefixItems", Shape::kList, Place::kChild},
    Applicator{"not", Shape::kOne, Place::kSame},
    Applicator{"if", Shape::kOne, Place::kSame},
    Applicator{"then", Shape::kOne, Place::kSame},
    Applicator{"else", Shape::kOne, Place::kSame},
    Applicator{"items", Shape::kOne, Place::kChild},
    Applicator{"contains", Shape::kOne, Place::kChild},
    Applicator{"additionalProperties", Shape::kOne, Place::kChild},
    Applicator{"propertyNames", Shape::kOne, Place::kChild},
    Applicator{"unevaluatedItems", Shape::kOne, Place::kChild},
    Applicator{"unevaluatedProperties", Shape::kOne, Place::kChild},
    Applicator{"contentSchema", Shape::kOne, Place::kChild},
};

using Checked = tl::expected<void, Mistake>;

tl::unexpected<Mistake> refuse(const std::string& pointer, std::string what) {
  return tl::unexpected(Mistake{pointer, std::move(what)});
}

class Preparation {
 public:
  Checked visit(Json& schema, const std::string& pointer) {
    schemas_.insert(pointer);
    if (!schema.is_object()) return {};
    schema.erase("default");
    schema.erase("examples");
    RETURN_IF_ERROR(check_identity(schema, pointer));
    for (const auto& applicator : kApplicators) {
      const auto found = schema.find(applicator.keyword);
      // jsoncons compiles none below `definitions`, so no reference may lead there.
      if (found == schema.end() || applicator.keyword == kDefinitions) continue;
      const std::string at = fmt::format("{}/{}", pointer, applicator.keyword);
      RETURN_IF_ERROR(visit_all(*found, at, applicator, pointer));
    }
    return {};
  }

  std::map<std::string, std::string>& anchors() { return anchors_; }

  /// Once all schemas are known: every reference reaches one, and none leads back to
  /// where it came from without going deeper into the document (that would never end).
  Checked check_references() {
    for (const auto& [from, target] : references_) {
      std::string to = target.substr(1);
      if (const auto anchor = anchors_.find(to); anchor != anchors_.end()) to = anchor->second;
      if (!schemas_.contains(to)) {
        return refuse(from, fmt::format("$ref '{}' reaches no schema", target));
      }
      same_value_[from].push_back(to);
    }
    for (const auto& pointer : schemas_) {
      if (goes_in_a_circle(pointer)) {
        return refuse(pointer, "its references go in a circle, so checking it would never end");
      }
    }
    return {};
  }

 private:
  Checked visit_all(Json& value, const std::string& at, const Applicator& applicator,
                    const std::string& owner) {
    const auto one = [&](Json& schema, const std::string& pointer) {
      if (applicator.place == Place::kSame) same_value_[owner].push_back(pointer);
      return visit(schema, pointer);
    };
    if (applicator.shape == Shape::kOne) return one(value, at);
    for (auto& [key, schema] : value.items()) {
      RETURN_IF_ERROR(one(schema, pointer_to(at, key)));
    }
    return {};
  }

  Checked check_identity(Json& schema, const std::string& pointer) {
    if (const auto draft = schema.find("$schema"); draft != schema.end() && *draft != kDraft) {
      return refuse(pointer, fmt::format("$schema must be {}", kDraft));
    }
    if (schema.contains("$id")) {
      if (!pointer.empty()) return refuse(pointer, "$id is allowed at the top only");
      schema.erase("$id");  // nothing refers to it from outside
    }
    for (const char* keyword : {"$anchor", "$dynamicAnchor"}) {
      if (const auto anchor = schema.find(keyword); anchor != schema.end()) {
        anchors_[anchor->get<std::string>()] = pointer;
      }
    }
    for (const char* keyword : {"$ref", "$dynamicRef"}) {
      const auto reference = schema.find(keyword);
      if (reference == schema.end()) continue;
      const auto target = reference->get<std::string>();
      if (target.empty() || target[0] != '#' || target.find('%') != std::string::npos) {
        return refuse(pointer, fmt::format("{} '{}' must be '#', '#/…' or '#anchor': nothing is "
                                           "fetched from elsewhere",
                                           keyword, target));
      }
      references_.emplace_back(pointer, target);
    }
    return {};
  }

  bool goes_in_a_circle(const std::string& pointer) {
    if (finished_.contains(pointer)) return false;
    if (!entered_.insert(pointer).second) return true;
    for (const auto& next : same_value_[pointer]) {
      if (goes_in_a_circle(next)) return true;
    }
    finished_.insert(pointer);
    return false;
  }

  std::set<std::string> schemas_;
  std::map<std::string, std::string> anchors_;
  std::vector<std::pair<std::string, std::string>> references_;
  std::map<std::string, std::vector<std::string>> same_value_;
  std::set<std::string> entered_;
  std::set<std::string> finished_;
};

/// The `definitions` of older drafts at the top of a schema, as `$defs`.
class MovedDefinitions {
 public:
  explicit MovedDefinitions(Json& schema) {
    const auto old = schema.is_object() ? schema.find(kDefinitions) : schema.end();
    if (old == schema.end() || !old->is_object()) return;
    const Json moved = std::move(*old);
    schema.erase(old);
    Json& into = schema["$defs"];
    for (const auto& [name, definition] : moved.items()) {
      std::string free = name;
      while (into.contains(free)) free += '_';
      moved_[pointer_to("/definitions", name)] = pointer_to("/$defs", free);
      into[free] = definition;
    }
    rewrite(schema);
  }

  /// A place as the schema's author knows it.
  std::string original(const std::string& place) const {
    for (const auto& [old, now] : moved_) {
      if (auto tail = after(place, now)) return old + *tail;
    }
    return place;
  }

 private:
  /// What follows `place` in a pointer to it, or into it.
  static std::optional<std::string> after(const std::string& pointer, const std::string& place) {
    if (!pointer.starts_with(place)) return std::nullopt;
    auto tail = pointer.substr(place.size());
    if (!tail.empty() && tail[0] != '/') return std::nullopt;
    return tail;
  }

  void rewrite(Json& schema) const {
    if (!schema.is_object()) return;
    const auto reference = schema.find("$ref");
    if (reference != schema.end() && reference->is_string()) {
      const auto target = reference->get<std::string>();
      for (const auto& [old, now] : moved_) {
        if (const auto tail = after(target, "#" + old)) *reference = "#" + now + *tail;
      }
    }
    for_each_subschema(schema, [&](Json& inside, const std::string&) { rewrite(inside); });
  }

  std::map<std::string, std::string> moved_;  // where it was, where it is
};

}  // namespace

void for_each_subschema(Json& schema, const std::function<void(Json&, const std::string&)>& visit) {
  if (!schema.is_object()) return;
  for (const auto& applicator : kApplicators) {
    const auto found = schema.find(applicator.keyword);
    if (found == schema.end()) continue;
    const std::string at = fmt::format("/{}", applicator.keyword);
    if (applicator.shape == Shape::kOne) {
      visit(*found, at);
    } else if (applicator.shape == Shape::kMap ? found->is_object() : found->is_array()) {
      for (auto& [key, inside] : found->items()) visit(inside, pointer_to(at, key));
    }
  }
}

tl::expected<PreparedSchema, Mistake> prepare_schema(Json schema) {
  PreparedSchema prepared{.schema = std::move(schema)};
  const MovedDefinitions moved(prepared.schema);
  Preparation preparation;
  auto checked = preparation.visit(prepared.schema, "");
  if (checked) checked = preparation.check_references();
  if (!checked) {
    checked.error().place = moved.original(checked.error().place);
    return tl::unexpected(std::move(checked.error()));
  }
  prepared.anchors = std::move(preparation.anchors());
  return prepared;
}

}  // namespace toolway::tools::schema
