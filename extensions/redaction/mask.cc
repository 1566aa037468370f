#include "extensions/redaction/mask.h"

#include "base/json_pointer.h"
#include "tools/schema/pattern.h"
#include "tools/schema/secret_places.h"

namespace toolway::extensions::redaction {
namespace {

constexpr std::size_t kMaxValues = 256;
/// A number of fewer digits is found everywhere by chance.
constexpr std::size_t kShortestNumber = 6;

/// The texts of what is secret, whatever it is made of.
void add_values(const Json& secret, std::vector<std::string>& values) {
  if (values.size() >= kMaxValues) return;
  if (const auto* text = secret.get_ptr<const std::string*>()) {
    if (text->size() >= Mask::kShortest) values.push_back(*text);
  } else if (secret.is_number()) {
    auto text = to_text(secret);
    if (text.size() >= kShortestNumber) values.push_back(std::move(text));
  } else if (secret.is_structured()) {
    for (const auto& inside : secret) add_values(inside, values);
  }
}

std::vector<std::string> values_at(const Json& arguments, const std::vector<std::string>& places) {
  std::vector<std::string> values;
  for (const auto& place : places) {
    if (const auto* secret = value_at(arguments, place)) add_values(*secret, values);
  }
  return values;
}

bool matches(const Policy& policy, std::string_view text) {
  for (const auto& pattern : policy.patterns)
    if (pattern->found_in(text)) return true;
  return false;
}

void add_places(const Policy& policy, const Json& value, const std::string& place,
                std::vector<std::string>& places) {
  if (places.size() > tools::schema::kMaxSecretPlaces) return;
  if (const auto* text = value.get_ptr<const std::string*>()) {
    if (matches(policy, *text)) places.push_back(place);
    return;
  }
  if (value.is_number() && matches(policy, to_text(value))) places.push_back(place);
  if (!value.is_structured()) return;
  if (value.is_object()) {
    for (const auto& [name, inside] : value.items())
      if (matches(policy, name)) return places.push_back(place);
  }
  for (const auto& [name, inside] : value.items())
    add_places(policy, inside, pointer_to(place, name), places);
}

}  // namespace

Mask::Mask(PolicyPtr policy, const Json& arguments, const std::vector<std::string>& secret_places)
    : policy_(std::move(policy)), values_(values_at(arguments, secret_places)) {}

bool Mask::empty() const { return values_.empty() && (!policy_ || policy_->patterns.empty()); }

std::string Mask::text(std::string text) const {
  return by_patterns(values_.text(std::move(text)));
}

Json Mask::json(Json value) const {
  value = values_.json(std::move(value));
  return policy_ && !policy_->patterns.empty() ? json_by_patterns(std::move(value)) : value;
}

std::string Mask::by_patterns(std::string text) const {
  if (policy_)
    for (const auto& pattern : policy_->patterns) pattern->replace_in(text, tools::schema::kHidden);
  return text;
}

Json Mask::json_by_patterns(Json value) const {
  if (auto* text = value.get_ptr<std::string*>()) {
    *text = by_patterns(std::move(*text));
  } else if (value.is_number()) {
    // A part of a number is none.
    if (matches(*policy_, to_text(value))) value = tools::schema::kHidden;
  } else if (value.is_array()) {
    for (auto& inside : value) inside = json_by_patterns(std::move(inside));
  } else if (value.is_object()) {
    Json masked = Json::object();
    for (auto& [name, inside] : value.items()) {
      masked[by_patterns(name)] = json_by_patterns(std::move(inside));
    }
    return masked;
  }
  return value;
}

std::vector<std::string> matched_places(const Policy& policy, const Json& value) {
  std::vector<std::string> places;
  if (policy.patterns.empty()) return places;
  add_places(policy, value, "", places);
  if (places.size() > tools::schema::kMaxSecretPlaces) return {""};
  return places;
}

}  // namespace toolway::extensions::redaction
