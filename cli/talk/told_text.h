#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace toolway::cli::talk {

/// The text of one turn. Each of its attempts tells it from its first message on: what is shown
/// already is not shown again. Pure.
class ToldText {
 public:
  struct New {
    std::string text{};
    bool begins_again = false;  ///< the attempt says something else: its message follows from its
                                ///< beginning
  };
  New add(std::string_view piece);
  /// Calls follow: the text after them is another message's.
  void end_message() { message_ = said_; }
  void begin_attempt() { message_ = said_ = 0; }

 private:
  std::string all_;
  std::size_t said_ = 0;     ///< how much of it this attempt has said
  std::size_t message_ = 0;  ///< where its message begins
};

}  // namespace toolway::cli::talk
