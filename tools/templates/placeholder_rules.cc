#include "tools/templates/placeholder_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace toolway::tools::templates {

using Presence = Placeholder::Presence;
using Form = Placeholder::Form;

const OrderedJson* PlaceholderRules::property(const std::string& name) const {
  if (!schema_.is_object()) return nullptr;
  const auto properties = schema_.find("properties");
  if (properties == schema_.end() || !properties->is_object()) return nullptr;
  const auto found = properties->find(name);
  return found == properties->end() ? nullptr : &*found;
}

bool PlaceholderRules::given_always(const std::string& name, const OrderedJson& described) const {
  if (described.is_object() && described.contains("default") && !described["default"].is_null())
    return true;
  const auto required = schema_.find("required");
  return required != schema_.end() && required->is_array() &&
         std::find(required->begin(), required->end(), OrderedJson(name)) != required->end();
}

void PlaceholderRules::check(const Placeholder& placeholder, const std::string& pointer,
                             Stands stands) const {
  const auto& name = placeholder.name;
  if (placeholder.secret) return;
  const auto* described = property(name);
  if (described == nullptr) {
    return wrong(
        pointer,
        fmt::format("`{{{}}}` is not a property of input_schema; write `{{{{` for a brace", name));
  }
  if (placeholder.form == Form::kOption || placeholder.form == Form::kWords) {
    return wrong(pointer,
                 fmt::format("`{{{}}}`: the forms option and words are for commands only", name));
  }
  if (stands == Stands::kAlways && placeholder.presence != Presence::kRequired) {
    return wrong(pointer,
                 fmt::format("`{{{}}}` is required here: write it without `?` and `*`", name));
  }
  if (stands == Stands::kWithin && placeholder.presence == Presence::kEach) {
    return wrong(
        pointer,
        fmt::format("`{{{}*}}` stands for several values: it must be the whole value", name));
  }
  if (placeholder.presence == Presence::kRequired && !given_always(name, *described)) {
    const auto advice =
        fmt::format(": write `{{{}?}}` to leave this out when it is not given", name);
    wrong(pointer, fmt::format("`{}` is not required and has no default{}", name,
                               stands == Stands::kAlways ? "" : advice));
  }
  const auto type =
      described->is_object() && described->contains("type") ? (*described)["type"] : OrderedJson();
  if (!type.is_string() || placeholder.form == Form::kJson) return;
  if (placeholder.presence == Presence::kEach) {
    if (type != "array") {
      wrong(pointer,
            fmt::format("`{{{}*}}` needs an array; the schema says {}", name, to_text(type)));
    }
  } else if (stands != Stands::kTyped && (type == "array" || type == "object")) {
    const bool repeatable = type == "array" && stands == Stands::kAlone;
    wrong(pointer,
          fmt::format("`{}` is an {}: write `{{{}:json}}` for its JSON text{}", name,
                      type.get<std::string>(), name,
                      repeatable ? fmt::format(", or `{{{}*}}` for each item", name) : ""));
  }
}

ArgumentTemplate PlaceholderRules::read(const OrderedJson& text, const std::string& pointer,
                                        Stands alone) const {
  if (text.is_number() || text.is_boolean()) return {{{.literal = to_text(text)}}};
  if (!text.is_string()) {
    wrong(pointer, "must be text, a number, true or false");
    return {};
  }
  auto parsed =
      parse_argument_template(text.get_ref<const std::string&>(), SecretPlaceholders::kAllowed);
  if (!parsed) {
    wrong(pointer, parsed.error().message);
    return {};
  }
  const bool only = parsed->only_placeholder() != nullptr;
  for (const auto& part : parsed->parts) {
    if (part.placeholder)
      check(*part.placeholder, pointer, only || alone == Stands::kAlways ? alone : Stands::kWithin);
  }
  return std::move(*parsed);
}

Json PlaceholderRules::defaults() const {
  Json defaults = Json::object();
  if (!schema_.is_object() || !schema_.contains("properties") || !schema_["properties"].is_object())
    return defaults;
  for (const auto& [name, described] : schema_["properties"].items()) {
    if (described.is_object() && described.contains("default"))
      defaults[name] = Json(described["default"]);
  }
  return defaults;
}

}  // namespace toolway::tools::templates
