#include "tools/templates/double_braces.h"

#include <fmt/format.h>

#include "base/json_pointer.h"
#include "base/try.h"

namespace toolway::tools::templates {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";

Result<BracePlaceholder> parse_placeholder(std::string_view inside) {
  BracePlaceholder parsed;
  const auto wrong = [&](std::string_view why) {
    return fail(ErrorCode::kInvalidSpec,
                fmt::format("`{{{{{}}}}}` {}; write `{{{{{{{{` for two braces", inside, why));
  };
  std::string_view name = inside;
  if (name.ends_with('?')) {
    parsed.optional = true;
    name.remove_suffix(1);
  }
  if (name == "$attempt" || name == "$count") {
    parsed.word = name.substr(1);
  } else if (name.starts_with('$')) {
    return wrong("is neither $attempt nor $count");
  } else if (name.empty() || name.find_first_of("{}\n\"") != std::string_view::npos ||
             name.front() == ' ') {
    return wrong("names no argument");
  } else {
    parsed.pointer = name.starts_with('/') ? std::string(name) : pointer_to("", std::string(name));
    if (!valid_pointer(parsed.pointer)) return wrong("is not a JSON Pointer");
  }
  return parsed;
}

Result<Json> value_of(const BracePlaceholder& placeholder, const BracesInput& call) {
  if (placeholder.word == "attempt") return Json(call.attempt);
  if (placeholder.word == "count") return Json(call.count);
  if (const auto* found = value_at(call.arguments, placeholder.pointer)) return *found;
  if (placeholder.optional) return Json();
  return fail(ErrorCode::kInvalidArguments,
              fmt::format("argument {} is not given", placeholder.pointer));
}

std::string as_text(const Json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : to_text(value);
}

}  // namespace

Result<std::vector<BracePiece>> parse_double_braces(std::string_view text) {
  std::vector<BracePiece> pieces;
  std::string literal;
  const auto end_literal = [&] {
    if (!literal.empty()) pieces.push_back({.literal = std::move(literal)});
    literal.clear();
  };
  while (!text.empty()) {
    const auto open = text.find(kOpen);
    literal += text.substr(0, open);
    if (open == std::string_view::npos) break;
    text.remove_prefix(open + kOpen.size());
    if (text.starts_with(kOpen)) {
      literal += kOpen;
      text.remove_prefix(kOpen.size());
      continue;
    }
    const auto close = text.find(kClose);
    if (close == std::string_view::npos) {
      return fail(ErrorCode::kInvalidSpec,
                  "`{{` without `}}` after it; write `{{{{` for two braces");
    }
    auto placeholder = parse_placeholder(text.substr(0, close));
    RETURN_IF_ERROR(placeholder);
    end_literal();
    pieces.push_back({.is_placeholder = true, .placeholder = *std::move(placeholder)});
    text.remove_prefix(close + kClose.size());
  }
  end_literal();
  return pieces;
}

std::vector<std::string> double_brace_mistakes(const Json& value, std::vector<std::string>& names) {
  std::vector<std::string> mistakes;
  if (value.is_string()) {
    const auto pieces = parse_double_braces(value.get_ref<const std::string&>());
    if (!pieces) return {pieces.error().message};
    for (const auto& piece : *pieces) {
      if (piece.is_placeholder && piece.placeholder.word.empty())
        names.push_back(piece.placeholder.pointer);
    }
  }
  if (!value.is_structured()) return mistakes;
  for (const auto& inside : value) {
    for (auto& mistake : double_brace_mistakes(inside, names))
      mistakes.push_back(std::move(mistake));
  }
  return mistakes;
}

std::vector<std::string> not_among(const OrderedJson& schema,
                                   const std::vector<std::string>& pointers) {
  std::vector<std::string> unknown;
  const auto properties =
      schema.is_object() ? schema.value("properties", OrderedJson::object()) : OrderedJson();
  for (const auto& pointer : pointers) {
    Json::json_pointer first(pointer);
    while (!first.empty() && !first.parent_pointer().empty()) first = first.parent_pointer();
    if (!first.empty() && !properties.contains(first.back())) unknown.push_back(first.back());
  }
  return unknown;
}

Result<Json> fill_braces(const Json& value, const BracesInput& call) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.find(kOpen) == std::string::npos) return value;
    ASSIGN_OR_RETURN(const auto pieces, parse_double_braces(text));
    if (pieces.size() == 1 && pieces.front().is_placeholder)
      return value_of(pieces.front().placeholder, call);
    ASSIGN_OR_RETURN(auto filled, fill_braces_in_text(text, call));
    return Json(std::move(filled));
  }
  if (!value.is_structured()) return value;
  Json made = value.is_array() ? Json::array() : Json::object();
  for (const auto& [name, inside] : value.items()) {
    ASSIGN_OR_RETURN(auto filled, fill_braces(inside, call));
    if (value.is_array())
      made.push_back(std::move(filled));
    else
      made[name] = std::move(filled);
  }
  return made;
}

Result<std::string> fill_braces_in_text(const std::string& text, const BracesInput& call) {
  if (text.find(kOpen) == std::string::npos) return text;
  ASSIGN_OR_RETURN(const auto pieces, parse_double_braces(text));
  std::string filled;
  for (const auto& piece : pieces) {
    if (!piece.is_placeholder) {
      filled += piece.literal;
      continue;
    }
    const auto value = value_of(piece.placeholder, call);
    RETURN_IF_ERROR(value);
    filled += as_text(*value);
  }
  return filled;
}

}  // namespace toolway::tools::templates
