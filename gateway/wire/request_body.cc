#include "gateway/wire/request_body.h"

#include <fmt/format.h>

#include <limits>

#include "base/strict_json.h"
#include "base/try.h"

namespace toolway::gateway::wire {

HttpResult<Json> parse_body(std::string_view body) {
  if (body.empty()) return refuse(ErrorCode::kMalformedJson, "the body is empty");
  ASSIGN_OR_RETURN(auto parsed, parse_strict_json(body));
  if (!parsed.is_object()) {
    return refuse(
        invalid_request({{.place = "",
                          .message = fmt::format("expected object, found {}", parsed.type_name()),
                          .keyword = "type"}}));
  }
  return parsed;
}

std::uint32_t read_count(BodyReader& reader, std::string_view name) {
  std::uint64_t count = 0;
  reader.whole(name, count, {1, std::numeric_limits<std::uint32_t>::max()});
  return static_cast<std::uint32_t>(count);
}

}  // namespace toolway::gateway::wire
