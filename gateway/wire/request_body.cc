#include "gateway/wire/request_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/strict_json.h"

namespace toolway::gateway {
namespace {

/// RFC 6901 §3.
std::string pointer_token(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

/// Client text in a message is cut, at the start of a character.
std::string_view shortened(std::string_view text) {
  constexpr std::size_t kMost = 64;
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

BodyReader::BodyReader(const Json& value, std::string path)
    : value_(value), path_(std::move(path)) {
  if (!value_.is_object()) {
    errors_.push_back(
        {path_, "type", fmt::format("expected object, found {}", value_.type_name())});
  }
}

std::string BodyReader::path_of(std::string_view name) const {
  return path_ + "/" + pointer_token(shortened(name));
}

void BodyReader::complain(std::string_view name, std::string keyword, std::string message) {
  errors_.push_back({path_of(name), std::move(keyword), std::move(message)});
}

void BodyReader::add(std::vector<tools::Violation> errors) {
  std::move(errors.begin(), errors.end(), std::back_inserter(errors_));
}

void BodyReader::only(std::initializer_list<std::string_view> known) {
  constexpr std::size_t kMostErrors = 20;
  if (!value_.is_object()) return;
  for (const auto& member : value_.items()) {
    if (std::find(known.begin(), known.end(), member.key()) != known.end()) continue;
    if (errors_.size() >= kMostErrors) return;
    complain(member.key(), "additionalProperties", "no such field");
  }
}

const Json* BodyReader::member(std::string_view name, Json::value_t type,
                               std::string_view type_name) {
  if (!value_.is_object()) return nullptr;
  const auto found = value_.find(name);
  if (found == value_.end()) return nullptr;
  if (found->type() == type) return &*found;
  complain(name, "type", fmt::format("expected {}, found {}", type_name, found->type_name()));
  return nullptr;
}

const std::string* BodyReader::text(std::string_view name) {
  const Json* found = member(name, Json::value_t::string, "string");
  return found ? &found->get_ref<const std::string&>() : nullptr;
}

const Json* BodyReader::object(std::string_view name) {
  return member(name, Json::value_t::object, "object");
}

const Json* BodyReader::array(std::string_view name) {
  return member(name, Json::value_t::array, "array");
}

std::optional<std::uint32_t> BodyReader::count(std::string_view name) {
  if (!value_.is_object()) return std::nullopt;
  const auto found = value_.find(name);
  if (found == value_.end()) return std::nullopt;
  if (found->is_number_unsigned()) {
    const auto value = found->get<std::uint64_t>();
    if (value >= 1 && value <= std::numeric_limits<std::uint32_t>::max()) {
      return static_cast<std::uint32_t>(value);
    }
  }
  complain(name, found->is_number() ? "range" : "type",
           "expected a whole number from 1 to 4294967295");
  return std::nullopt;
}

Answer<Json> parse_body(std::string_view body) {
  if (body.empty()) return refuse(ErrorCode::kMalformedJson, "the body is empty");
  auto parsed = parse_strict_json(body);
  if (!parsed) return refuse(std::move(parsed.error()));
  if (!parsed->is_object()) {
    return refuse(invalid_request(
        {{"", "type", fmt::format("expected object, found {}", parsed->type_name())}}));
  }
  return std::move(*parsed);
}

}  // namespace toolway::gateway
