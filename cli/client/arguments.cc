#include "cli/client/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest_names.h"
#include "base/strict_json.h"
#include "base/try.h"

namespace toolway::cli::client {
namespace {

/// `name=value`, or `name:=JSON`.
struct Pair {
  std::string name, value;
  bool raw = false;
};

std::optional<Pair> pair_of(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return std::nullopt;
  const bool raw = word[equals - 1] == ':';
  auto name = word.substr(0, raw ? equals - 1 : equals);
  const bool named = !name.empty() && name.find_first_of("{}[]\" \t\n") == std::string::npos;
  if (!named) return std::nullopt;
  return Pair{std::move(name), word.substr(equals + 1), raw};
}

/// The types that a property may have; none: the schema does not say.
std::vector<std::string> types_of(const OrderedJson& property) {
  std::vector<std::string> types;
  if (!property.is_object()) return types;
  const auto add = [&types](const OrderedJson& type) {
    if (type.is_string()) types.push_back(type.get<std::string>());
  };
  const auto type = property.value("type", OrderedJson());
  add(type);
  if (type.is_array())
    for (const auto& one : type) add(one);
  for (const char* several : {"anyOf", "oneOf"}) {
    const auto alternatives = property.find(several);
    if (alternatives == property.end() || !alternatives->is_array()) continue;
    for (const auto& one : *alternatives)
      for (auto& found : types_of(one)) types.push_back(std::move(found));
  }
  return types;
}

bool is_of(const OrderedJson& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

Error wrong(const Pair& pair, const std::vector<std::string>& types) {
  auto wanted = types;
  // `name=null` is text: a pair cannot mean null.
  wanted.erase(std::remove(wanted.begin(), wanted.end(), "null"), wanted.end());
  return {ErrorCode::kInvalidRequest,
          fmt::format("{}={}: the tool wants {} {}", pair.name, pair.value,
                      wanted.empty() || std::string("aeiou").find(wanted[0][0]) == std::string::npos
                          ? "a"
                          : "an",
                      fmt::join(wanted, " or "))};
}

Result<OrderedJson> typed(const Pair& pair, const OrderedJson& property) {
  auto parsed = parse_ordered_json(pair.value);
  if (pair.raw) {
    if (parsed) return std::move(*parsed);
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("{}:={}: the value after := must be JSON", pair.name, pair.value));
  }
  const auto types = types_of(property);
  if (parsed)
    for (const auto& type : types)
      if (is_of(*parsed, type)) return std::move(*parsed);
  if (types.empty() || std::find(types.begin(), types.end(), "string") != types.end())
    return OrderedJson(pair.value);
  return tl::unexpected(wrong(pair, types));
}

/// That the tool takes an argument of this name, where its schema says which it takes.
Result<void> known(const Pair& pair, const OrderedJson& properties, const OrderedJson& schema) {
  if (!properties.is_object() || properties.contains(pair.name)) return {};
  const auto more = schema.find("additionalProperties");
  if (more == schema.end() || !more->is_boolean() || more->get<bool>()) return {};
  std::vector<std::string> names;
  for (const auto& [name, property] : properties.items()) names.push_back(name);
  if (names.empty())
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("the tool takes no arguments, and got '{}'", pair.name));
  return tl::unexpected(no_such_name("the tool has no argument", pair.name, names, "it takes"));
}

}  // namespace

Error no_such_name(std::string_view has_no, const std::string& name,
                   const std::vector<std::string>& names, std::string_view they) {
  const auto near = nearest_names(name, names, 1);
  return {ErrorCode::kInvalidRequest,
          near.empty() ? fmt::format("{} '{}'; {} {}", has_no, name, they, fmt::join(names, ", "))
                       : fmt::format("{} '{}'; did you mean '{}'?", has_no, name, near.front())};
}

bool are_pairs(const std::vector<std::string>& words) {
  return !words.empty() && std::all_of(words.begin(), words.end(), [](const std::string& word) {
    return pair_of(word).has_value();
  });
}

Result<OrderedJson> object_of(const std::string& text) {
  auto parsed = parse_ordered_json(text);
  if (parsed && parsed->is_object()) {
    // A key given twice would lose its first value here, and a gateway refuses it.
    RETURN_IF_ERROR(parse_strict_json(text));
    return parsed;
  }
  return fail(
      ErrorCode::kMalformedJson,
      fmt::format("ARGUMENTS must be a JSON object, for example '{{\"timezone\": \"UTC\"}}', "
                  "or pairs: timezone=UTC{}",
                  parsed || !text.starts_with('{') ? "" : " (" + parsed.error().message + ")"));
}

Result<OrderedJson> object_of_pairs(const std::vector<std::string>& words,
                                    const OrderedJson& schema) {
  auto object = OrderedJson::object();
  const auto properties =
      schema.is_object() ? schema.value("properties", OrderedJson()) : OrderedJson();
  for (const auto& word : words) {
    const auto pair = pair_of(word);
    if (!pair)
      return fail(
          ErrorCode::kInvalidRequest,
          fmt::format("'{}' is not NAME=VALUE; ARGUMENTS are pairs, one JSON object, @FILE or -",
                      word));
    if (object.contains(pair->name))
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("argument '{}' is given twice", pair->name));
    RETURN_IF_ERROR(known(*pair, properties, schema));
    ASSIGN_OR_RETURN(
        object[pair->name],
        typed(*pair, properties.is_object() ? properties.value(pair->name, OrderedJson())
                                            : OrderedJson()));
  }
  return object;
}

}  // namespace toolway::cli::client
