#include "tools/templates/json_template.h"

#include <fmt/format.h>

#include "base/json_pointer.h"
#include "base/try.h"

namespace toolway::tools::templates {
namespace {

using Presence = Placeholder::Presence;

/// Nothing: left out.
Result<std::optional<Json>> render(const JsonTemplate& json, const HttpValues& source);

Result<std::optional<Json>> render_string(const ArgumentTemplate& text, const HttpValues& source) {
  const auto* only = text.only_placeholder();
  const bool typed = only != nullptr && !only->secret && only->form == Placeholder::Form::kPlain;
  if (typed) {
    if (const Json* value = json_value_of(*only, source.arguments)) return *value;
    if (only->presence != Presence::kRequired) return std::nullopt;
    return fail(ErrorCode::kInvalidArguments, fmt::format("/{}: is not given", only->name));
  }
  auto rendered = render_part(text, source, HttpPlace::kText);
  RETURN_IF_ERROR(rendered);
  if (!*rendered) return std::nullopt;
  return Json(std::move(**rendered));
}

/// The items that one of a list becomes.
Result<void> append(const JsonTemplate& item, const HttpValues& source, Json& list) {
  ASSIGN_OR_RETURN(auto rendered, render(item, source));
  if (!rendered) return {};
  const auto* text = std::get_if<ArgumentTemplate>(&item.value);
  const auto* only = text == nullptr ? nullptr : text->only_placeholder();
  if (only == nullptr || only->presence != Presence::kEach) {
    list.push_back(std::move(*rendered));
    return {};
  }
  if (!rendered->is_array()) {
    return fail(ErrorCode::kInvalidArguments, fmt::format("/{}: is not an array", only->name));
  }
  for (auto& each : *rendered) list.push_back(std::move(each));
  return {};
}

Result<std::optional<Json>> render(const JsonTemplate& json, const HttpValues& source) {
  if (const auto* literal = std::get_if<Json>(&json.value)) return *literal;
  if (const auto* text = std::get_if<ArgumentTemplate>(&json.value))
    return render_string(*text, source);
  if (const auto* members = std::get_if<JsonTemplate::Members>(&json.value)) {
    Json object = Json::object();
    for (const auto& [name, member] : *members) {
      ASSIGN_OR_RETURN(auto rendered, render(member, source));
      if (rendered) object[name] = std::move(*rendered);
    }
    return object;
  }
  Json list = Json::array();
  for (const auto& item : std::get<JsonTemplate::Items>(json.value)) {
    RETURN_IF_ERROR(append(item, source, list));
  }
  return list;
}

}  // namespace

JsonTemplate parse_json_template(const OrderedJson& json, const std::string& pointer,
                                 Mistakes& mistakes) {
  if (json.is_string()) {
    auto text =
        parse_argument_template(json.get_ref<const std::string&>(), SecretPlaceholders::kAllowed);
    if (!text) {
      mistakes.add({pointer, text.error().message});
      return {Json()};
    }
    return {std::move(*text)};
  }
  if (json.is_object()) {
    JsonTemplate::Members members;
    for (const auto& [name, value] : json.items()) {
      members.emplace_back(name, parse_json_template(value, pointer_to(pointer, name), mistakes));
    }
    return {std::move(members)};
  }
  if (json.is_array()) {
    JsonTemplate::Items items;
    for (std::size_t i = 0; i < json.size(); ++i) {
      items.push_back(parse_json_template(json[i], fmt::format("{}/{}", pointer, i), mistakes));
    }
    return {std::move(items)};
  }
  return {Json(json)};
}

void each_placeholder(
    const JsonTemplate& json, const std::string& pointer,
    const std::function<void(const Placeholder&, const std::string&, bool whole)>& visit) {
  if (const auto* text = std::get_if<ArgumentTemplate>(&json.value)) {
    for (const auto& part : text->parts) {
      if (part.placeholder) visit(*part.placeholder, pointer, text->only_placeholder() != nullptr);
    }
  } else if (const auto* members = std::get_if<JsonTemplate::Members>(&json.value)) {
    for (const auto& [name, member] : *members)
      each_placeholder(member, pointer_to(pointer, name), visit);
  } else if (const auto* items = std::get_if<JsonTemplate::Items>(&json.value)) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      each_placeholder((*items)[i], fmt::format("{}/{}", pointer, i), visit);
    }
  }
}

Result<Json> render_json(const JsonTemplate& json, const HttpValues& source) {
  ASSIGN_OR_RETURN(auto rendered, render(json, source));
  return rendered ? std::move(*rendered) : Json();
}

}  // namespace toolway::tools::templates
