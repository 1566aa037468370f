#include "gateway/wire/request_body.h"

#include <fmt/format.h>

#include <limits>

#include "base/strict_json.h"
#include "base/try.h"

namespace toolway::gateway::wire {

HttpResult<ParsedBody> parse_any_body(std::string_view text) {
  if (text.empty()) return refuse(ErrorCode::kMalformedJson, "the body is empty");
  ASSIGN_OR_RETURN(auto parsed, parse_strict_json(text));
  return ParsedBody{.json = std::move(parsed), .text = text};
}

HttpResult<void> expect_object(const Json& body) {
  if (body.is_object()) return {};
  return refuse(
      invalid_request({{.place = "",
                        .message = fmt::format("expected object, found {}", body.type_name()),
                        .keyword = "type"}}));
}

HttpResult<Json> parse_body(std::string_view body) {
  if (body.size() > kMaxPlainBody) {
    return refuse(ErrorCode::kPayloadTooLarge,
                  fmt::format("the body has {} bytes; the limit of a request without calls is {}",
                              body.size(), kMaxPlainBody));
  }
  ASSIGN_OR_RETURN(auto parsed, parse_any_body(body));
  RETURN_IF_ERROR(expect_object(parsed.json));
  return std::move(parsed.json);
}

std::uint32_t read_count(BodyReader& reader, std::string_view name) {
  std::uint64_t count = 0;
  reader.whole(name, count, {1, std::numeric_limits<std::uint32_t>::max()});
  return static_cast<std::uint32_t>(count);
}

}  // namespace toolway::gateway::wire
