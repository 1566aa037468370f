#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toolway::gateway::endpoints {

/// The text of a turn that its client has, which nothing can take back. The history of such a turn
/// came with its request and nothing of it is stored: another attempt asks the model again from the
/// first message on, and what the client has of it is not shown twice. Pure.
class ShownText {
 public:
  /// An event of this attempt follows.
  void begin_attempt(std::uint32_t attempt);
  /// Calls follow: the text after them is another message's, in a paragraph of its own.
  void end_message();
  /// What is new in a piece of text. Nothing: it says something else than the client has.
  std::optional<std::string> add(std::string_view piece);
  /// What the client lacks of the turn's last message. Nothing: it has something else.
  std::optional<std::string> complete(std::string_view reply);

  /// All that was shown.
  const std::string& all() const { return all_; }
  bool began_again() const { return attempts_ > 1; }

 private:
  std::optional<std::string> say(std::string_view piece);
  std::string show(std::string_view piece);

  std::string all_;
  std::size_t said_ = 0;     ///< how much of it this attempt has said
  std::size_t message_ = 0;  ///< where its message begins in `all_`
  bool follows_ = false;     ///< another message begins with the next piece
  std::uint32_t attempt_ = 0;
  unsigned attempts_ = 0;
};

}  // namespace toolway::gateway::endpoints
