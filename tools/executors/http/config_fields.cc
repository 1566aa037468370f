#include "tools/executors/http/config_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tools/schema/json_pointer.h"

namespace toolway::tools {

using Presence = Placeholder::Presence;
using Form = Placeholder::Form;

ConfigFields::ConfigFields(const OrderedJson& object, std::string pointer, std::string what,
                           std::vector<SpecMistake>& mistakes)
    : object_(object), pointer_(std::move(pointer)), what_(std::move(what)), mistakes_(mistakes) {
  if (!object.is_object())
    mistakes_.push_back({pointer_, fmt::format("{} must be an object", what_)});
}

ConfigFields::~ConfigFields() {
  if (!object_.is_object()) return;
  for (const auto& [name, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    mistakes_.push_back({at(name), fmt::format("unknown field `{}`; {} has {}", name, what_,
                                               fmt::join(known_, ", "))});
  }
}

const OrderedJson* ConfigFields::find(const std::string& name) {
  known_.push_back(name);
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::string ConfigFields::at(const std::string& name) const { return pointer_to(pointer_, name); }

void ConfigFields::wrong(const std::string& name, std::string what) {
  mistakes_.push_back({at(name), std::move(what)});
}

std::string ConfigFields::text(const std::string& name, std::string fallback) {
  const auto* found = find(name);
  if (found == nullptr) return fallback;
  if (found->is_string() && *found != "") return found->get<std::string>();
  wrong(name, "must be text");
  return fallback;
}

bool ConfigFields::flag(const std::string& name, bool fallback) {
  const auto* found = find(name);
  if (found == nullptr) return fallback;
  if (found->is_boolean()) return found->get<bool>();
  wrong(name, "must be true or false");
  return fallback;
}

std::size_t ConfigFields::number(const std::string& name, std::size_t fallback, std::size_t least,
                                 std::size_t most) {
  const auto* found = find(name);
  if (found == nullptr) return fallback;
  if (found->is_number_integer() && *found >= 0 && *found >= least && *found <= most)
    return found->get<std::size_t>();
  wrong(name, fmt::format("must be a whole number from {} to {}", least, most));
  return fallback;
}

std::chrono::milliseconds ConfigFields::duration(const std::string& name,
                                                 std::chrono::milliseconds fallback) {
  constexpr std::size_t kDay = 86'400'000;
  return std::chrono::milliseconds(
      number(name, static_cast<std::size_t>(fallback.count()), 1, kDay));
}

std::vector<std::string> ConfigFields::texts(const std::string& name) {
  const auto* found = find(name);
  std::vector<std::string> read;
  if (found == nullptr) return read;
  const bool fine =
      found->is_array() &&
      std::all_of(found->begin(), found->end(), [](const auto& one) { return one.is_string(); });
  if (fine) return found->get<std::vector<std::string>>();
  wrong(name, "must be a list of texts");
  return read;
}

std::string ConfigFields::choice(const std::string& name, const std::vector<std::string>& choices) {
  const auto* found = find(name);
  if (found == nullptr) return choices.front();
  if (found->is_string() &&
      std::find(choices.begin(), choices.end(), found->get<std::string>()) != choices.end()) {
    return found->get<std::string>();
  }
  wrong(name, fmt::format("{} is not one of {}", to_text(*found), fmt::join(choices, ", ")));
  return choices.front();
}

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

}  // namespace toolway::tools
