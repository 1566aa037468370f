#pragma once

#include <string>

namespace toolway::chat::turns {

/// What matters of a turn before it begins. Pure.
struct TurnWish {
  bool alone = false;     ///< it has no conversation to wait for
  std::string on_busy{};  ///< as its message says it; empty: it waits
};
/// `arguments`: of its call. What cannot be read is alone: the tool says what is wrong.
TurnWish turn_wish(const std::string& arguments);

}  // namespace toolway::chat::turns
