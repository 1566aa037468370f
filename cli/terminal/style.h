#pragma once

#include <string>
#include <string_view>

namespace toolway::cli::terminal {

enum class Colour { kBold, kDim, kRed, kGreen, kYellow, kCyan };

/// Colours, on a terminal only, and not when NO_COLOR is set.
class Style {
 public:
  explicit Style(bool coloured) : coloured_(coloured) {}
  std::string operator()(Colour colour, std::string_view text) const {
    if (!coloured_) return std::string(text);
    return std::string("\x1b[") + code(colour) + "m" + std::string(text) + "\x1b[0m";
  }
  bool coloured() const { return coloured_; }

 private:
  static const char* code(Colour colour) {
    switch (colour) {
      case Colour::kBold: return "1";
      case Colour::kDim: return "2";
      case Colour::kRed: return "31";
      case Colour::kGreen: return "32";
      case Colour::kYellow: return "33";
      case Colour::kCyan: return "36";
    }
    return "0";
  }
  bool coloured_;
};

}  // namespace toolway::cli::terminal
