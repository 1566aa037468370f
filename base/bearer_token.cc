#include "base/bearer_token.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace toolway {

Result<std::string> checked_token(std::string_view text, std::string_view source) {
  const auto token = trimmed(text, " \t\r\n");
  if (token.empty()) return fail(ErrorCode::kInvalidRequest, fmt::format("{} is empty", source));
  if (token.size() > kMaxTokenBytes)
    return fail(
        ErrorCode::kInvalidRequest,
        fmt::format("{} has more than {} bytes, which is not a token", source, kMaxTokenBytes));
  if (std::any_of(token.begin(), token.end(), [](char c) { return c <= ' ' || c > '~'; }))
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("{} is not a token: it has blanks, several lines, or characters that "
                            "are not ASCII",
                            source));
  return std::string(token);
}

}  // namespace toolway
