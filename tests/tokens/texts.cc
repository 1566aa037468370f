#include "tests/tokens/texts.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/base64.h"
#include "tests/tokens/sentences.h"

namespace toolway::tokens {
namespace {

std::string bytes_of(std::size_t size, Random& random) {
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random.below(256));
  return bytes;
}

std::string hex(std::size_t digits, Random& random) {
  std::string text(digits, '0');
  for (char& c : text) c = "0123456789abcdef"[random.below(16)];
  return text;
}

std::string uuid(Random& random) {
  return fmt::format("{}-{}-{}-{}-{}", hex(8, random), hex(4, random), hex(4, random),
                     hex(4, random), hex(12, random));
}

std::string letters(Random& random) {
  std::string word(1 + random.below(12), 'a');
  const bool capital = random.per_mille(200);
  for (char& c : word) c = static_cast<char>((capital ? 'A' : 'a') + random.below(26));
  return word + ' ';
}

std::string character(Random& random) {
  auto code = static_cast<std::uint32_t>(0x800 + random.below(0x1F800));
  if (code >= 0xD800 && code <= 0xDFFF) code -= 0x1000;
  const auto rest = [&](unsigned shift) {
    return static_cast<char>(0x80 | (code >> shift & 0x3F));
  };
  if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), rest(6), rest(0)};
  return {static_cast<char>(0xF0 | code >> 18), rest(12), rest(6), rest(0)};
}

std::string log_line(Random& random) {
  static constexpr std::array kLevels{"INFO", "WARN", "ERROR", "DEBUG"};
  static constexpr std::array kSays{"request finished", "connection reset by peer",
                                    "cache miss for key", "retrying after backoff"};
  return fmt::format("2026-11-{:02}T{:02}:{:02}:{:02}.{:06}Z {} [worker-{}] {} id={} took={}ms\n",
                     1 + random.below(28), random.below(24), random.below(60), random.below(60),
                     random.below(1'000'000), kLevels[random.below(4)], random.below(64),
                     kSays[random.below(4)], hex(16, random), random.below(5000));
}

std::string number(Random& random) {
  return random.per_mille(500)
             ? fmt::format("{:.6f},", static_cast<double>(random.below(1'000'000'000)) / 1e5)
             : fmt::format("{}{}", random.below(100'000), random.per_mille(200) ? "\n" : ", ");
}

std::string_view one_of(std::span<const std::string_view> sentences, Random& random) {
  return sentences[random.below(sentences.size())];
}

/// The next piece of a text, of some words.
std::string piece(const Voice& voice, Random& random) {
  switch (voice.kind) {
    case Kind::kCode: return std::string(one_of(code_lines(), random)) + '\n';
    case Kind::kJson: return to_text(json_of({}, 300, random)) + '\n';
    case Kind::kLog: return log_line(random);
    case Kind::kNumbers: return number(random);
    case Kind::kBase64: return base64(bytes_of(300, random));
    case Kind::kIdentifiers: return (random.per_mille(500) ? uuid(random) : hex(40, random)) + ' ';
    case Kind::kRandomLetters: return letters(random);
    case Kind::kAnyCharacters: return character(random);
    default: break;
  }
  const auto& languages = languages_of(voice.kind);
  return std::string(one_of(languages[voice.language % languages.size()], random));
}

}  // namespace

std::string text_of(const Voice& voice, std::size_t bytes, Random& random) {
  std::string text;
  while (text.size() < bytes) text += piece(voice, random);
  return text;
}

OrderedJson json_of(const Voice& voice, std::size_t bytes, Random& random) {
  static constexpr std::array kNames{"name",  "path",     "size_bytes", "createdAt", "status",
                                     "items", "owner_id", "isActive",   "url",       "description"};
  OrderedJson list = OrderedJson::array();
  for (std::size_t size = 0; size < bytes;) {
    OrderedJson object = OrderedJson::object();
    for (auto members = 2 + random.below(6); members > 0; --members) {
      auto& value = object[kNames[random.below(kNames.size())]];
      switch (random.below(6)) {
        case 0: value = random.below(1'000'000); break;
        case 1: value = random.per_mille(500); break;
        case 2: value = uuid(random); break;
        case 3: value = nullptr; break;
        case 4:
          value = fmt::format("/srv/data/{}/report_{}.csv", random.below(100), random.below(100));
          break;
        default: value = text_of(voice, 20 + random.below(80), random);
      }
    }
    size += to_text(object).size();
    list.push_back(std::move(object));
  }
  return {{"entries", std::move(list)}, {"total", random.below(1000)}};
}

}  // namespace toolway::tokens
