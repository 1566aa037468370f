#include "tools/schema/secret_places.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/json_pointer.h"

namespace toolway::tools::schema {
namespace {

constexpr int kMaxDepth = 64;  ///< of schemas in schemas; arguments are less deep
constexpr int kMaxSteps = 100'000;
constexpr std::array kMarks{"writeOnly", "x-secret"};
constexpr std::array kReferences{"$ref", "$dynamicRef"};
/// Keywords with schemas of the same value.
constexpr std::array kSameValue{"allOf", "anyOf", "oneOf",           "if",
                                "then",  "else",  "dependentSchemas"};
/// Keywords with a schema of members whose names no schema lists, and of items.
constexpr std::array kOtherMembers{"additionalProperties", "unevaluatedProperties"};
constexpr std::array kAllItems{"items", "contains", "unevaluatedItems"};

bool is_marked(const OrderedJson& schema) {
  return std::ranges::any_of(kMarks, [&](const char* mark) {
    const auto found = schema.find(mark);
    return found != schema.end() && found->is_boolean() && found->get<bool>();
  });
}

/// One search, through a value and its schemas at the same time.
class Search {
 public:
  explicit Search(const OrderedJson& root) : root_(root) {}

  std::vector<std::string> places(const Json& value) {
    look(root_, value, "", 0);
    if (gives_up_ || places_.size() > kMaxSecretPlaces) return {""};
    std::ranges::sort(places_);
    const auto twice = std::ranges::unique(places_);
    places_.erase(twice.begin(), twice.end());
    return std::move(places_);
  }

 private:
  void look(const OrderedJson& schema, const Json& value, const std::string& place, int depth) {
    if (gives_up_ || !schema.is_object()) return;
    gives_up_ = ++steps_ > kMaxSteps || depth > kMaxDepth || places_.size() > kMaxSecretPlaces;
    if (gives_up_) return;
    if (is_marked(schema)) return places_.push_back(place);
    follow_references(schema, value, place, depth);
    for (const char* keyword : kSameValue) {
      const auto found = schema.find(keyword);
      if (found == schema.end()) continue;
      if (is_one(keyword))
        look(*found, value, place, depth + 1);
      else
        for (const auto& one : *found) look(one, value, place, depth + 1);
    }
    if (value.is_object()) look_at_members(schema, value, place, depth);
    if (value.is_array()) look_at_items(schema, value, place, depth);
  }

  static bool is_one(std::string_view keyword) {
    return keyword == "if" || keyword == "then" || keyword == "else";
  }

  void follow_references(const OrderedJson& schema, const Json& value, const std::string& place,
                         int depth) {
    for (const char* keyword : kReferences) {
      const auto found = schema.find(keyword);
      if (found == schema.end()) continue;
      const auto* target = target_of(*found);
      if (target == nullptr)
        places_.push_back(place);  // it may be marked
      else
        look(*target, value, place, depth + 1);
    }
  }

  /// Null: it cannot be followed here.
  const OrderedJson* target_of(const OrderedJson& reference) const {
    const auto* text = reference.get_ptr<const std::string*>();
    if (text == nullptr || !text->starts_with('#')) return nullptr;
    try {
      const OrderedJson::json_pointer where(text->substr(1));
      return root_.contains(where) ? &root_.at(where) : nullptr;
    } catch (const OrderedJson::exception&) {
      return nullptr;
    }
  }

  void look_at_members(const OrderedJson& schema, const Json& value, const std::string& place,
                       int depth) {
    const auto listed = schema.find("properties");
    const auto patterns = schema.find("patternProperties");
    for (const auto& [name, member] : value.items()) {
      const std::string inside = pointer_to(place, name);
      if (patterns != schema.end())
        for (const auto& one : *patterns) look(one, member, inside, depth + 1);
      if (listed != schema.end() && listed->contains(name)) {
        look(listed->at(name), member, inside, depth + 1);
        continue;
      }
      for (const char* keyword : kOtherMembers)
        if (const auto found = schema.find(keyword); found != schema.end())
          look(*found, member, inside, depth + 1);
    }
  }

  void look_at_items(const OrderedJson& schema, const Json& value, const std::string& place,
                     int depth) {
    const auto first = schema.find("prefixItems");
    const std::size_t known = first == schema.end() ? 0 : first->size();
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string inside = pointer_to(place, std::to_string(i));
      if (i < known) look(first->at(i), value[i], inside, depth + 1);
      for (const char* keyword : kAllItems)
        if (const auto found = schema.find(keyword); found != schema.end())
          look(*found, value[i], inside, depth + 1);
    }
  }

  const OrderedJson& root_;
  std::vector<std::string> places_;
  int steps_ = 0;
  bool gives_up_ = false;
};

template <typename Tree>
void hide_in(Tree& value, const std::vector<std::string>& places) {
  for (const auto& place : places) {
    try {
      const typename Tree::json_pointer where(place);
      if (value.contains(where)) value.at(where) = kHidden;
    } catch (const typename Tree::exception&) {
      continue;  // what is above it is hidden already
    }
  }
}

/// Whether one place is another, or inside it.
bool is_inside(std::string_view place, std::string_view outer) {
  return place.starts_with(outer) && (place.size() == outer.size() || place[outer.size()] == '/');
}

/// Takes out of a violation what it quotes of a value that has a secret inside.
void hide_quoted(Violation& violation) {
  if (violation.keyword == "type") return;  // quotes none
  auto& message = violation.message;
  constexpr std::string_view kAlternatives = "none of the alternatives matches";
  if (message.starts_with(kAlternatives)) {
    message = kAlternatives;
    return;
  }
  for (const std::string_view found : {", found ", "; found "}) {
    if (const auto at = message.find(found); at != std::string::npos)
      message = message.substr(0, at + found.size()) + kHidden;
  }
}

}  // namespace

bool marks_secrets(const OrderedJson& schema) {
  if (schema.is_object() && is_marked(schema)) return true;
  return schema.is_structured() && std::ranges::any_of(schema, &marks_secrets);
}

std::vector<std::string> secret_places(const OrderedJson& schema, const Json& value) {
  return Search(schema).places(value);
}

void hide(std::vector<Violation>& violations, const std::vector<std::string>& places) {
  for (auto& violation : violations) {
    for (const auto& secret : places) {
      if (is_inside(violation.place, secret))
        violation.message = "the value, which is secret, is not what the schema asks for";
      else if (is_inside(secret, violation.place))
        hide_quoted(violation);
    }
  }
}

void hide(Json& value, const std::vector<std::string>& places) { hide_in(value, places); }

std::string hidden_text(const std::string& object, const std::vector<std::string>& places) {
  auto shown = parse_ordered_json(object);
  if (!shown || std::ranges::find(places, "") != places.end())
    return to_text(OrderedJson{{"*", kHidden}});
  hide_in(*shown, places);
  return to_text(*shown);
}

}  // namespace toolway::tools::schema
