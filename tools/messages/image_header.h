#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace toolway::tools::messages {

/// What the first bytes of an image say.
struct ImageHeader {
  std::string_view media_type;  ///< image/png, image/jpeg, image/gif or image/webp
  std::uint32_t width = 0;      ///< in pixels, at least 1
  std::uint32_t height = 0;
};

/// Nothing: it is none of the images that models take (PNG, JPEG, GIF, WebP), or its header does
/// not say how large it is. Pure; any bytes may come.
std::optional<ImageHeader> read_image_header(std::string_view bytes);

}  // namespace toolway::tools::messages
