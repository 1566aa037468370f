#pragma once

#include <string>
#include <string_view>

/// What a model says, fit for a terminal. Pure.
namespace toolway::cli::talk {

/// Leaves out control characters except line ends and tabs, wherever the text is cut: a model, or a
/// tool's output that it repeats, must not move the cursor or change a title. One thread.
class ShownText {
 public:
  std::string next(std::string_view piece);

 private:
  bool after_c2_ = false;  ///< the first byte of a control character of two
};

}  // namespace toolway::cli::talk
