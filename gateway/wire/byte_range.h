#pragma once

#include <cstdint>
#include <string_view>

/// Range and conditional requests for one representation (RFC 9110 §13, §14). Pure.
namespace toolway::gateway::wire {

/// What is sent of a representation: `size` bytes from `first` on.
struct ByteRange {
  enum class Kind {
    kWhole,          ///< no range, or one that must be ignored
    kPart,           ///< 206
    kUnsatisfiable,  ///< 416
  };
  Kind kind = Kind::kWhole;
  std::uint64_t first = 0;
  std::uint64_t size = 0;
};

/// Reads a Range header for a representation of `size` bytes (1 or more). Other units,
/// several ranges and what is not well formed are ignored, as §14.2 allows.
ByteRange parse_range(std::string_view header, std::uint64_t size);

/// Whether an If-None-Match header names `etag` (with its quotes), weakly compared.
bool none_match_names(std::string_view header, std::string_view etag);

}  // namespace toolway::gateway::wire
