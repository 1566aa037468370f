#include "tools/schema/pattern_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "base/try.h"

namespace toolway::tools::schema {
namespace {

using Written = tl::expected<void, std::string>;

constexpr std::uint32_t kLastCodePoint = 0x10FFFF;

/// The insides of character classes. ECMA-262's white space is Unicode's; RE2's is ASCII's.
constexpr std::string_view kSpace =
    "\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
constexpr std::string_view kNoSpace =
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}"
    "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
constexpr std::string_view kAnything = "[\\x{0}-\\x{10ffff}]";
constexpr std::string_view kNothing = "[^\\x{0}-\\x{10ffff}]";
constexpr std::string_view kNoLineEnd = "[^\\n\\r\\x{2028}\\x{2029}]";

/// Unicode's general categories by their long names (ECMA-262 table 70), as RE2 knows them.
struct Category {
  std::string_view name;
  std::string_view letters;
};
constexpr std::array kCategories{
    Category{"Letter", "L"},
    Category{"Uppercase_Letter", "Lu"},
    Category{"Lowercase_Letter", "Ll"},
    Category{"Titlecase_Letter", "Lt"},
    Category{"Modifier_Letter", "Lm"},
    Category{"Other_Letter", "Lo"},
    Category{"Mark", "M"},
    Category{"Combining_Mark", "M"},
    Category{"Number", "N"},
    Category{"Decimal_Number", "Nd"},
    Category{"digit", "Nd"},
    Category{"Letter_Number", "Nl"},
    Category{"Other_Number", "No"},
    Category{"Punctuation", "P"},
    Category{"punct", "P"},
    Category{"Symbol", "S"},
    Category{"Math_Symbol", "Sm"},
    Category{"Currency_Symbol", "Sc"},
    Category{"Separator", "Z"},
    Category{"Space_Separator", "Zs"},
    Category{"Other", "C"},
    Category{"Control", "Cc"},
    Category{"cntrl", "Cc"},
    Category{"Format", "Cf"},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// One character, never taken for syntax.
std::string literal(std::uint32_t code_point) {
  const bool plain = code_point < 128 && (is_digit(static_cast<char>(code_point)) ||
                                          is_letter(static_cast<char>(code_point)));
  return plain ? std::string(1, static_cast<char>(code_point))
               : fmt::format("\\x{{{:x}}}", code_point);
}

/// Something inside a class: one character, which may begin or end a range, or a set.
struct Member {
  std::optional<std::uint32_t> character;
  std::string set;
};

class Translation {
 public:
  explicit Translation(std::string_view pattern) : text_(pattern) {}

  tl::expected<std::string, std::string> run() {
    while (at_ < text_.size()) {
      RETURN_IF_ERROR(one());
    }
    return std::move(out_);
  }

 private:
  tl::unexpected<std::string> refuse(std::string_view what) const {
    return tl::unexpected(fmt::format("{}, at byte {}", what, at_));
  }

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool follows(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  /// The current character, which it steps past.
  std::uint32_t take_character() {
    const auto lead = static_cast<unsigned char>(text_[at_++]);
    if (lead < 0x80) return lead;
    const unsigned more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    std::uint32_t code_point = lead & (0x3FU >> more);
    for (unsigned i = 0; i < more && at_ < text_.size(); ++i) {
      code_point = code_point << 6 | (static_cast<unsigned char>(text_[at_++]) & 0x3FU);
    }
    return code_point;
  }

  Written one() {
    switch (peek()) {
      case '\\': return escape();
      case '(': return group();
      case '[': return character_class();
      case '{': return brace();
      case '.':
        out_ += kNoLineEnd;
        ++at_;
        return {};
      case '^':
      case '$':
      case ')':
      case '|':
      case '*':
      case '+':
      case '?': out_ += text_[at_++]; return {};
      default: out_ += literal(take_character()); return {};
    }
  }

  Written group() {
    if (follows("(?:")) {
      at_ += 3;
    } else if (follows("(?=") || follows("(?!")) {
      return refuse("it looks ahead ('(?=' or '(?!'), which a matcher without backtracking cannot");
    } else if (follows("(?<=") || follows("(?<!")) {
      return refuse(
          "it looks behind ('(?<=' or '(?<!'), which a matcher without backtracking cannot");
    } else if (follows("(?<")) {
      const auto end = text_.find('>', at_);
      if (end == std::string_view::npos) return refuse("the name of a group is not closed");
      at_ = end + 1;
    } else if (follows("(?")) {
      return refuse("ECMA-262 has no such group");
    } else {
      ++at_;
    }
    out_ += "(?:";  // no caller asks what a group has matched
    return {};
  }

  /// `{2}`, `{2,}` or `{2,5}`; any other brace is one character.
  Written brace() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    const bool counts = end > at_ + 1;
    if (counts && end < text_.size() && text_[end] == ',') {
      ++end;
      while (end < text_.size() && is_digit(text_[end])) ++end;
    }
    if (counts && end < text_.size() && text_[end] == '}') {
      out_ += text_.substr(at_, end + 1 - at_);
      at_ = end + 1;
    } else {
      out_ += literal(take_character());
    }
    return {};
  }

  Written escape() {
    const char next = peek(1);
    if (next == 'b' || next == 'B') {
      out_ += text_.substr(at_, 2);
      at_ += 2;
      return {};
    }
    if (next >= '1' && next <= '9')
      return refuse("it has a backreference, which a matcher without backtracking cannot follow");
    if (next == 'k')
      return refuse(
          "it has a backreference (\\k), which a matcher without backtracking cannot follow");
    ASSIGN_OR_RETURN(auto member, escaped());
    out_ += member.character ? literal(*member.character) : "[" + member.set + "]";
    return {};
  }

  /// What an escape means outside of a class and in one.
  tl::expected<Member, std::string> escaped() {
    const char next = peek(1);
    if (next == '\0' && at_ + 1 >= text_.size()) return refuse("it ends with a backslash");
    switch (next) {
      case 'd':
      case 'D':
      case 'w':
      case 'W': at_ += 2; return Member{std::nullopt, std::string("\\") + next};
      case 's': at_ += 2; return Member{std::nullopt, std::string(kSpace)};
      case 'S': at_ += 2; return Member{std::nullopt, std::string(kNoSpace)};
      case 'p':
      case 'P': return property();
      case 't': return control(0x09);
      case 'n': return control(0x0A);
      case 'v': return control(0x0B);
      case 'f': return control(0x0C);
      case 'r': return control(0x0D);
      case '0':
        if (is_digit(peek(2))) return refuse("ECMA-262 has no octal escapes");
        return control(0);
      case 'c':
        if (!is_letter(peek(2))) return refuse("\\c must be followed by a letter");
        ++at_;
        return control(static_cast<std::uint32_t>(peek(1)) % 32);
      case 'x': return hexadecimal(2, 2);
      case 'u': return unicode();
      default: break;
    }
    if (is_letter(next) || is_digit(next))
      return refuse(fmt::format("ECMA-262 has no escape \\{}", next));
    ++at_;
    return Member{take_character(), {}};
  }

  Member control(std::uint32_t code_point) {
    at_ += 2;
    return {code_point, {}};
  }

  std::optional<std::uint32_t> digits(std::size_t from, std::size_t count) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto digit = hex_digit(peek(from + i));
      if (!digit) return std::nullopt;
      value = value << 4 | *digit;
    }
    return value;
  }

  tl::expected<Member, std::string> hexadecimal(std::size_t from, std::size_t count) {
    const auto value = digits(from, count);
    if (!value)
      return refuse(fmt::format("\\{} must be followed by {} hexadecimal digits", peek(1), count));
    at_ += from + count;
    return Member{*value, {}};
  }

  tl::expected<Member, std::string> unicode() {
    if (peek(2) == '{') {
      const auto end = text_.find('}', at_);
      const std::size_t count = end == std::string_view::npos ? 0 : end - at_ - 3;
      const auto value = count == 0 || count > 8 ? std::nullopt : digits(3, count);
      if (!value || *value > kLastCodePoint) return refuse("\\u{…} is not a code point");
      at_ = end + 1;
      return Member{*value, {}};
    }
    const auto first = digits(2, 4);
    if (first && *first >= 0xD800 && *first <= 0xDFFF) {
      const auto second = peek(6) == '\\' && peek(7) == 'u' ? digits(8, 4) : std::nullopt;
      if (*first >= 0xDC00 || !second || *second < 0xDC00 || *second > 0xDFFF) {
        return refuse("it has half of a surrogate pair, which no text contains");
      }
      at_ += 12;
      return Member{0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00), {}};
    }
    return hexadecimal(2, 4);
  }

  /// `\p{…}`: RE2 knows categories by their letters and scripts by their names.
  tl::expected<Member, std::string> property() {
    const auto end = text_.find('}', at_);
    if (peek(2) != '{' || end == std::string_view::npos)
      return refuse("\\p must be followed by a property in braces");
    std::string_view name = text_.substr(at_ + 3, end - at_ - 3);
    for (const std::string_view kind : {"Script=", "sc=", "General_Category=", "gc="}) {
      if (name.starts_with(kind)) name.remove_prefix(kind.size());
    }
    const auto known =
        std::find_if(kCategories.begin(), kCategories.end(),
                     [&](const Category& category) { return category.name == name; });
    if (known != kCategories.end()) name = known->letters;
    Member member{std::nullopt, fmt::format("\\{}{{{}}}", peek(1), name)};
    at_ = end + 1;
    return member;
  }

  tl::expected<Member, std::string> member() {
    if (peek() != '\\') return Member{take_character(), {}};
    if (peek(1) == 'b') return control(0x08);
    if (peek(1) == '-') return control('-');
    return escaped();
  }

  Written character_class() {
    ++at_;
    const bool inverted = peek() == '^';
    if (inverted) ++at_;
    std::string inside;
    while (at_ < text_.size() && text_[at_] != ']') {
      ASSIGN_OR_RETURN(auto first, member());
      const bool range = peek() == '-' && at_ + 1 < text_.size() && peek(1) != ']';
      if (!range || !first.character) {
        inside += first.character ? literal(*first.character) : first.set;
        continue;
      }
      ++at_;
      ASSIGN_OR_RETURN(auto last, member());
      if (!last.character) {  // `[a-\d]`: the hyphen is one
        inside += literal(*first.character) + literal('-') + last.set;
      } else if (*last.character < *first.character) {
        return refuse("a range in a character class ends before it begins");
      } else {
        inside += literal(*first.character) + "-" + literal(*last.character);
      }
    }
    if (at_ == text_.size()) return refuse("a character class is not closed");
    ++at_;
    if (inside.empty()) {
      out_ += inverted ? kAnything : kNothing;
    } else {
      out_ += fmt::format("[{}{}]", inverted ? "^" : "", inside);
    }
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

tl::expected<std::string, std::string> to_re2_syntax(std::string_view pattern) {
  return Translation(pattern).run();
}

}  // namespace toolway::tools::schema
