#pragma once

#include <cstddef>
#include <string>

#include "base/json.h"
#include "tests/simulation/random.h"

/// Texts such as conversations have, and such as they hardly ever have.
namespace toolway::tokens {

using simulation::Random;

enum class Kind {
  kEnglish,
  kLatin,    ///< German, French, Spanish, Finnish, Turkish, Vietnamese
  kChinese,  ///< simplified and traditional
  kJapaneseKorean,
  kRightToLeft,  ///< Arabic, Persian, Hebrew
  kCyrillicGreek,
  kIndicThai,  ///< Hindi, Tamil, Thai
  kFewSpeak,   ///< Georgian, Amharic, Tibetan: models know them badly
  kCode,
  kJson,
  kLog,
  kNumbers,
  kBase64,
  kIdentifiers,  ///< UUIDs, hashes
  kEmoji,
  kRandomLetters,
  kAnyCharacters,  ///< of all of Unicode above U+07FF
};
constexpr std::size_t kKinds = 17;

/// Whose words a text has.
struct Voice {
  Kind kind = Kind::kEnglish;
  std::size_t language = 0;  ///< one of those that the kind has, from any number
};

/// Of about `bytes`.
std::string text_of(const Voice& voice, std::size_t bytes, Random& random);

/// A value as tools return it, of about `bytes`, with texts in `voice`.
OrderedJson json_of(const Voice& voice, std::size_t bytes, Random& random);

}  // namespace toolway::tokens
