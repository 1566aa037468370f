#pragma once

#include <cstddef>
#include <string_view>

#include "base/strict_object.h"
#include "gateway/wire/problem.h"

namespace toolway::gateway::wire {

/// The members of an untrusted object.
using BodyReader = StrictObject<Json>;

/// A body, and the text that it was parsed from.
struct ParsedBody {
  Json json;
  std::string_view text;
};

/// Parses a body of any size and type. On any thread. Errors: malformed_json.
HttpResult<ParsedBody> parse_any_body(std::string_view text);
/// Errors: invalid_request.
HttpResult<void> expect_object(const Json& body);

/// The largest body of a request without calls. It is parsed where it came, on the io_context's
/// thread; the largest that one needs is a session's, with 16 KiB of metadata.
inline constexpr std::size_t kMaxPlainBody = 64 * 1024;

/// Parses the body of a request without calls, which must be an object. Errors: payload_too_large,
/// malformed_json, invalid_request.
HttpResult<Json> parse_body(std::string_view body);

/// A whole number from 1 to 2^32 - 1; otherwise 0, and a mistake unless it is not there.
std::uint32_t read_count(BodyReader& reader, std::string_view name);

}  // namespace toolway::gateway::wire
