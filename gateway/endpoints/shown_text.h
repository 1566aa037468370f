#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toolway::gateway::endpoints {

/// The text of a turn that its client has, which nothing can take back. When another attempt of the
/// turn begins, the model is asked again for the message that was not stored: what the client has
/// of it is not shown twice. Pure.
class ShownText {
 public:
  /// An event of this attempt follows.
  void begin_attempt(std::uint32_t attempt);
  /// Calls follow: the message before them is stored, and the text after them is another message's,
  /// in a paragraph of its own.
  void end_message();
  /// What is new in a piece of text. Nothing: it says something else than the client has.
  std::optional<std::string> add(std::string_view piece);
  /// What the client lacks of the turn's last message. Nothing: it has something else.
  std::optional<std::string> complete(std::string_view reply);

  /// All that was shown.
  const std::string& all() const { return all_; }
  bool began_again() const { return attempts_ > 1; }

 private:
  std::string show(std::string_view piece);
  /// What the client has of the message.
  std::string_view message() const { return std::string_view(all_).substr(message_); }

  std::string all_;
  std::size_t message_ = 0;  ///< where the message begins in `all_`
  std::size_t again_ = 0;    ///< how much of it was said by this attempt
  bool follows_ = false;     ///< another message begins with the next piece
  std::uint32_t attempt_ = 0;
  unsigned attempts_ = 0;
};

}  // namespace toolway::gateway::endpoints
