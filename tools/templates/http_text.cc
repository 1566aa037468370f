#include "tools/templates/http_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"

namespace toolway::tools::templates {
namespace {

using Presence = Placeholder::Presence;

constexpr std::string_view kWhat = "this part of a request";

constexpr std::string_view kControl =
    "has a line break or another control character, which no header may have";

bool control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

bool host_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == ':';
}

Result<std::string> encoded(const Placeholder& placeholder, std::string text, HttpPlace place) {
  switch (place) {
    case HttpPlace::kHost:
      if (!text.empty() && std::all_of(text.begin(), text.end(), host_letter)) return text;
      return refuse(placeholder, "is not a host name");
    case HttpPlace::kPathSegment:
      if (text.empty()) return refuse(placeholder, "is empty, and the path would lack a segment");
      return percent_encoded(text);
    case HttpPlace::kQuery: return percent_encoded(text);
    case HttpPlace::kHeader:
      if (std::none_of(text.begin(), text.end(), control)) return text;
      if (placeholder.secret)
        return fail(ErrorCode::kNotFound,
                    fmt::format("secret `{}` {}", placeholder.name, kControl));
      return refuse(placeholder, kControl);
    case HttpPlace::kText: return text;
  }
  return text;
}

/// Nothing: not given.
Result<std::optional<std::string>> piece_of(const Placeholder& placeholder,
                                            const HttpValues& source, HttpPlace place) {
  std::string text;
  if (placeholder.secret) {
    auto secret = source.secret(placeholder.name);
    if (!secret)
      return fail(
          ErrorCode::kNotFound,
          fmt::format("this worker has no secret `{0}`: give it a file {0} in its directory "
                      "of secrets, or set TOOLWAY_SECRET_{0}",
                      placeholder.name));
    // Sent, it would be a login without a password.
    if (secret->empty())
      return fail(ErrorCode::kNotFound, fmt::format("secret `{}` is empty", placeholder.name));
    text = std::move(*secret);
  } else {
    const Json* value = value_of(placeholder, source.arguments);
    if (value == nullptr) {
      if (placeholder.presence == Presence::kOptional) return std::nullopt;
      return refuse(placeholder, "is not given");
    }
    auto plain = value_text(placeholder, *value, kWhat);
    RETURN_IF_ERROR(plain);
    text = std::move(*plain);
  }
  auto fit = encoded(placeholder, std::move(text), place);
  RETURN_IF_ERROR(fit);
  return std::move(*fit);
}

}  // namespace

Result<std::optional<std::string>> render_part(const ArgumentTemplate& text,
                                               const HttpValues& source, HttpPlace place) {
  std::string rendered;
  for (const auto& part : text.parts) {
    if (!part.placeholder) {
      rendered += part.literal;
      continue;
    }
    auto piece = piece_of(*part.placeholder, source, place);
    RETURN_IF_ERROR(piece);
    if (!*piece) return std::nullopt;
    rendered += **piece;
  }
  return rendered;
}

Result<std::vector<std::string>> render_values(const ArgumentTemplate& text,
                                               const HttpValues& source) {
  std::vector<std::string> values;
  const auto* only = text.only_placeholder();
  if (only == nullptr || only->presence != Presence::kEach) {
    ASSIGN_OR_RETURN(auto one, render_part(text, source, HttpPlace::kText));
    if (one) values.push_back(std::move(*one));
    return values;
  }
  const Json* items = value_of(*only, source.arguments);
  if (items == nullptr) return values;
  if (!items->is_array()) return refuse(*only, "is not an array");
  for (std::size_t i = 0; i < items->size(); ++i) {
    ASSIGN_OR_RETURN(auto plain, value_text(*only, (*items)[i], kWhat, i));
    values.push_back(std::move(plain));
  }
  return values;
}

Result<std::string> render_path(const ArgumentTemplate& path, const HttpValues& source) {
  ASSIGN_OR_RETURN(auto rendered, render_part(path, source, HttpPlace::kPathSegment));
  if (!rendered) return fail(ErrorCode::kInvalidArguments, "a part of the path is not given");
  const auto placeholder = std::find_if(path.parts.begin(), path.parts.end(), [](const auto& part) {
    return part.placeholder.has_value();
  });
  std::string_view rest = *rendered;
  while (placeholder != path.parts.end()) {
    const auto slash = rest.find('/');
    const auto segment = rest.substr(0, slash);
    if (segment == "." || segment == "..") {
      return refuse(
          *placeholder->placeholder,
          fmt::format("would make a segment of the path '{}', which means another path", segment));
    }
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  return std::move(*rendered);
}

}  // namespace toolway::tools::templates
