#include "chat/window/pieces.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/utf8.h"

namespace toolway::chat::window {
namespace {

/// What a byte is: the first three make words, `kBeyond` is not of ASCII.
enum class ByteClass : std::uint8_t { kSmall, kCapital, kDigit, kBlank, kSign, kBeyond };

constexpr ByteClass judge(unsigned char c) {
  if (c >= 'a' && c <= 'z') return ByteClass::kSmall;
  if (c >= 'A' && c <= 'Z') return ByteClass::kCapital;
  if (c >= '0' && c <= '9') return ByteClass::kDigit;
  if (c == ' ' || c == '\n' || c == '\t' || c == '\r') return ByteClass::kBlank;
  return c < 0x80 ? ByteClass::kSign : ByteClass::kBeyond;
}
/// Each byte of a history is looked up once or twice.
constexpr auto kClasses = [] {
  std::array<ByteClass, 256> classes{};
  for (std::size_t c = 0; c < classes.size(); ++c)
    classes[c] = judge(static_cast<unsigned char>(c));
  return classes;
}();

ByteClass class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }
bool is_alnum(char c) { return class_of(c) <= ByteClass::kDigit; }
bool is_digit(char c) { return class_of(c) == ByteClass::kDigit; }
bool is_blank(char c) { return class_of(c) == ByteClass::kBlank; }
bool is_sign(char c) { return class_of(c) == ByteClass::kSign; }
bool is_ascii(char c) { return class_of(c) != ByteClass::kBeyond; }

/// What one character of a script has, by the vocabularies of 2023 to 2025: `most` is of the older,
/// in which a letter of Thai or Tamil has two tokens.
struct Script {
  std::uint32_t first;
  std::uint32_t last;
  Piece piece;
};
constexpr std::array kScripts{Script{0x00A0, 0x024F, {Kind::kLatin, 0, 0.6, 2}},
                              Script{0x0370, 0x03FF, {Kind::kGreek, 0.2, 0.5, 1.4}},
                              Script{0x0400, 0x052F, {Kind::kCyrillic, 0.1, 0.3, 0.9}},
                              Script{0x0590, 0x06FF, {Kind::kArabic, 0.15, 0.45, 1.3}},
                              Script{0x0900, 0x097F, {Kind::kDevanagari, 0.15, 0.5, 2.3}},
                              Script{0x0980, 0x0DFF, {Kind::kIndic, 0.15, 0.5, 2.3}},
                              Script{0x0E00, 0x0EFF, {Kind::kThai, 0.15, 0.5, 2.3}},
                              Script{0x10A0, 0x10FF, {Kind::kGeorgian, 0.15, 0.5, 2.3}},
                              Script{0x3000, 0x303F, {Kind::kHan, 0.3, 0.9, 2}},  // its signs
                              Script{0x3040, 0x30FF, {Kind::kKana, 0.25, 0.65, 1.5}},
                              Script{0x4E00, 0x9FFF, {Kind::kHan, 0.35, 0.85, 2.4}},
                              Script{0xAC00, 0xD7A3, {Kind::kHangul, 0.25, 0.6, 1.7}},
                              Script{0xFF00, 0xFFEF, {Kind::kHan, 0.1, 0.9, 2.4}}};  // wide signs

/// Numbers have a token for three digits, or for each.
Piece number(double digits) { return {Kind::kNumber, digits / 3, std::ceil(digits / 3), digits}; }

/// Letters and digits in a row. `changes`: from a small to a capital letter, to digits, and from
/// digits. `whole`: no letter outside ASCII is next to them.
Piece word(double size, double changes, bool whole) {
  if (changes * 5 > size)
    return {Kind::kMachine, size * 0.2, size * 0.64, size <= 8 ? size : size * 0.85};
  const auto names = changes + 1;  // of a nameInCamelCase
  const auto likely = (whole ? names : names * 0.6) + 0.2 * std::max(0.0, size - 7 * names);
  // What is longer is hardly a word.
  const auto most = size <= 16 ? size * 0.6 : size * 0.75;
  return {Kind::kWord, whole ? 1.0 : 0.0, likely, std::max(most, names)};
}

Piece one_character(std::uint32_t code, double bytes) {
  for (const Script& script : kScripts)
    if (code >= script.first && code <= script.last) return script.piece;
  return {Kind::kOther, 0.3, 0.5 * bytes, bytes};
}

}  // namespace

bool Pieces::next() {
  if (!more()) return false;
  if (is_alnum(here())) {
    take_word();
  } else if (is_blank(here())) {
    take_blanks();
  } else if (is_sign(here())) {
    take_signs();
  } else {
    take_character();
  }
  return true;
}

void Pieces::take_word() {
  const auto first = at_;
  auto before = class_of(here());
  std::size_t changes = 0;
  bool digits = true;
  for (; more(); ++at_) {
    const auto now = class_of(here());
    if (now > ByteClass::kDigit) break;
    if (now == before) continue;
    const bool name = before == ByteClass::kSmall && now == ByteClass::kCapital;
    if (name || before == ByteClass::kDigit || now == ByteClass::kDigit) ++changes;
    before = now;
    digits = false;
  }
  digits = digits && before == ByteClass::kDigit;
  const auto size = static_cast<double>(at_ - first);
  const bool whole = (first == 0 || is_ascii(text_[first - 1])) && (!more() || is_ascii(here()));
  piece_ = digits ? number(size) : word(size, static_cast<double>(changes), whole);
}

void Pieces::take_blanks() {
  const auto first = at_;
  bool line = false;
  for (; more() && is_blank(here()); ++at_) line = line || here() == '\n';
  const auto size = static_cast<double>(at_ - first);
  if (size == 1 && !line) {
    // It belongs to the word that follows; a number takes none, and other scripts may not.
    const bool alone = !more() || is_digit(here());
    const bool in_word = more() && is_ascii(here());
    piece_ = {Kind::kBlank, 0, alone ? 1.0 : 0.0, alone || !in_word ? 1.0 : 0.2};
  } else {
    // The end of a line is often part of the sign before it.
    const bool joins = line && first > 0 && is_sign(text_[first - 1]);
    const auto likely = (joins ? 0.4 : 1) + (line && size > 2 ? 0.6 : 0) + size / 100;
    piece_ = {Kind::kBlank, 0, likely, std::min(size, 2 + size / 4)};
  }
}

void Pieces::take_signs() {
  const auto first = at_;
  while (more() && is_sign(here())) ++at_;
  const auto size = static_cast<double>(at_ - first);
  // One before a word is often part of its token.
  const bool joins = size == 1 && more() && class_of(here()) <= ByteClass::kCapital;
  piece_ = {Kind::kSign, 0, joins ? 0.4 : 0.45 + 0.35 * size, size};
}

void Pieces::take_character() {
  const auto [code, bytes] = character();
  at_ += bytes;
  piece_ = one_character(code, static_cast<double>(bytes));
}

Pieces::Character Pieces::character() const {
  const auto lead = static_cast<unsigned char>(here());
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC0 || at_ + bytes > text_.size()) return {0xFFFD, 1};
  std::uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues_character(text_[at_ + i])) return {0xFFFD, i};
    code = code << 6U | (static_cast<unsigned char>(text_[at_ + i]) & 0x3FU);
  }
  return {code, bytes};
}

}  // namespace toolway::chat::window
