#include "tools/http/ndjson_reader.h"

#include <fmt/format.h>

#include "base/answer_json.h"

namespace toolway::tools::http {

Result<void> NdjsonReader::feed(std::string_view bytes) {
  return lines_.feed(bytes, [this](std::string_view text) { return line(text); });
}

Result<void> NdjsonReader::finish() {
  const auto rest = lines_.rest();
  return rest.empty() ? Result<void>() : line(rest);
}

Result<void> NdjsonReader::line(std::string_view text) {
  ++number_;
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) return {};
  auto value = parse_answer(text);
  if (!value && value.error().code == ErrorCode::kPayloadTooLarge) {
    return fail(ErrorCode::kPayloadTooLarge,
                fmt::format("line {} is too large: {}", number_, value.error().message));
  }
  if (!value) {
    return fail(ErrorCode::kMalformedJson,
                fmt::format("line {} is not JSON: {}", number_, value.error().message));
  }
  handler_(std::move(*value));
  return {};
}

}  // namespace toolway::tools::http
