#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace toolway {

/// RFC 4648 §4, with padding, on one line.
std::string base64(std::string_view bytes);
/// Decodes; line breaks and spaces are skipped. Nothing: not base64.
std::optional<std::string> from_base64(std::string_view text);

/// RFC 4648 §5, without padding.
std::string base64url(std::string_view bytes);
/// Nothing: not base64url, padded, or bits are left over, which would let the same bytes be written
/// in several ways.
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace toolway
