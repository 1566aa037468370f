#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "chat/window/rates.h"

namespace toolway::chat::window {

/// A word, a number, … or what is written around texts.
struct Piece {
  Kind kind = Kind::kOther;
  double least = 0;
  double likely = 0;
  double most = 0;
};

/// A text in the pieces of which tokenizers make tokens: words, numbers, blanks, signs, and other
/// characters one by one. The text outlives it.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : text_(text) {}

  /// The next piece, which is not empty. False: there is none.
  bool next();
  const Piece& piece() const { return piece_; }
  /// Where the piece ends.
  std::size_t end() const { return at_; }

 private:
  void take_word();
  void take_blanks();
  void take_signs();
  void take_character();
  /// The character at `at_`, and its bytes; a byte that begins none is U+FFFD.
  struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 0;
  };
  Character character() const;
  char here() const { return text_[at_]; }
  bool more() const { return at_ < text_.size(); }

  const std::string_view text_;
  std::size_t at_ = 0;
  Piece piece_;
};

}  // namespace toolway::chat::window
