#include "tools/templates/pick_template.h"

#include <fmt/format.h>

#include "base/json_pointer.h"

namespace toolway::tools::templates {
namespace {

/// Nothing: left out.
std::optional<Json> picked(const PickTemplate& wanted, const Json& document) {
  if (const auto* literal = std::get_if<Json>(&wanted.value)) return *literal;
  if (const auto* at = std::get_if<PickTemplate::At>(&wanted.value)) {
    const auto* found = find_at(document, at->pointer);
    return found == nullptr || found->is_null() ? std::nullopt : std::optional(*found);
  }
  if (const auto* each = std::get_if<PickTemplate::Each>(&wanted.value)) {
    Json list = Json::array();
    const auto* found = find_at(document, each->pointer);
    if (found == nullptr || !found->is_array()) return list;
    for (const auto& item : *found) {
      if (auto one = picked(each->item.front(), item)) list.push_back(std::move(*one));
    }
    return list;
  }
  if (const auto* members = std::get_if<PickTemplate::Members>(&wanted.value)) {
    Json object = Json::object();
    for (const auto& [name, member] : *members) {
      if (auto one = picked(member, document)) object[name] = std::move(*one);
    }
    return object;
  }
  Json list = Json::array();
  for (const auto& item : std::get<PickTemplate::Items>(wanted.value)) {
    if (auto one = picked(item, document)) list.push_back(std::move(*one));
  }
  return list;
}

PickTemplate parse_string(const std::string& text, const std::string& pointer, Mistakes& mistakes) {
  if (!text.starts_with('{')) return {Json(text)};
  if (text.starts_with("{{")) return {Json(text.substr(1))};
  const auto inside =
      text.ends_with('}') ? parse_pointer(text.substr(1, text.size() - 2)) : std::nullopt;
  if (inside) return {PickTemplate::At{*inside}};
  mistakes.add(
      {pointer, fmt::format("`{}` is not a `{{/json/pointer}}`; write `{{{{` for a brace", text)});
  return {Json()};
}

}  // namespace

std::optional<Json::json_pointer> parse_pointer(const std::string& text) {
  try {
    return Json::json_pointer(text);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

const Json* find_at(const Json& document, const Json::json_pointer& pointer) {
  // nlohmann throws for an index that is not a number, also in contains().
  try {
    return document.contains(pointer) ? &document.at(pointer) : nullptr;
  } catch (const Json::exception&) {
    return nullptr;
  }
}

PickTemplate parse_pick_template(const OrderedJson& json, const std::string& pointer,
                                 Mistakes& mistakes) {
  if (json.is_string()) return parse_string(json.get<std::string>(), pointer, mistakes);
  if (json.is_object() && json.contains("each")) {
    const auto& each = json["each"];
    const auto at = each.is_string() ? parse_pointer(each.get<std::string>()) : std::nullopt;
    if (!at)
      mistakes.add({pointer + "/each", "must be a JSON Pointer to an array, such as /web/results"});
    if (!json.contains("item") || json.size() != 2) {
      mistakes.add({pointer, "`each` needs `item` next to it, and nothing else"});
    }
    if (!at || !json.contains("item")) return {Json()};
    return {
        PickTemplate::Each{*at, {parse_pick_template(json["item"], pointer + "/item", mistakes)}}};
  }
  if (json.is_object()) {
    PickTemplate::Members members;
    for (const auto& [name, value] : json.items()) {
      members.emplace_back(name, parse_pick_template(value, pointer_to(pointer, name), mistakes));
    }
    return {std::move(members)};
  }
  if (json.is_array()) {
    PickTemplate::Items items;
    for (std::size_t i = 0; i < json.size(); ++i) {
      items.push_back(parse_pick_template(json[i], fmt::format("{}/{}", pointer, i), mistakes));
    }
    return {std::move(items)};
  }
  return {Json(json)};
}

Json pick(const PickTemplate& wanted, const Json& document) {
  auto one = picked(wanted, document);
  return one ? std::move(*one) : Json();
}

}  // namespace toolway::tools::templates
