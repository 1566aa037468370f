#pragma once

#include <string>
#include <string_view>

/// Parts of SVG documents that need nothing else, legible on white, in print, and on the dark pages
/// of those who prefer them. Pure.
namespace toolway::cli::bench::results {

inline constexpr const char* kInk = "#1f2937";
inline constexpr const char* kDim = "#6b7280";
inline constexpr const char* kGrid = "#e5e7eb";
inline constexpr const char* kLimit = "#b91c1c";

struct TextStyle {
  double size = 12;
  const char* colour = kDim;
  const char* anchor = "start";
  const char* weight = "400";
};

/// The beginning of a document of this size, on white or, where its reader prefers it, on black;
/// `</svg>` ends it.
std::string svg_head(double width, double height);
/// Whatever the text is, it stays text.
std::string text_at(double x, double y, std::string_view text, const TextStyle& style);
/// `more`: attributes, with a blank before them.
std::string line(double x1, double y1, double x2, double y2, const char* colour,
                 const char* more = "");
std::string box(double x, double y, double width, double height, const char* colour);

}  // namespace toolway::cli::bench::results
