#include "tools/specs/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/json.h"

namespace toolway::tools::specs {
namespace {

/// Words that mean something to a shell where a program's name would be (XCU 2.4 and 2.14,
/// without those that are programs as well).
constexpr std::array<std::string_view, 32> kShellWords{
    "!",      "if",     "then",  "else",   "elif",  "fi",     "do",    "done",
    "case",   "esac",   "while", "until",  "for",   "in",     "cd",    ".",
    "source", "eval",   "exec",  "export", "set",   "unset",  "alias", "exit",
    "read",   "return", "shift", "trap",   "umask", "ulimit", "wait",  "function"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// The placeholder that `text` begins with; empty: none.
std::string_view placeholder(std::string_view text) {
  if (text.size() < 3 || text[0] != '{' || !is_letter(text[1])) return {};
  std::size_t end = 2;
  while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '-'))
    ++end;
  return end < text.size() && text[end] == '}' ? text.substr(0, end + 1) : std::string_view();
}

/// `NAME=…`
bool is_assignment(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return false;
  const auto end =
      std::find_if(text.begin(), text.end(), [](char c) { return !is_letter(c) && !is_digit(c); });
  return end != text.end() && *end == '=';
}

struct Word {
  std::string text;
  bool assigns = false;  ///< begins, unquoted, like an assignment
  bool quoted = false;   ///< some of it was
};
using Words = std::vector<Word>;

/// Reads a whole line, also what is refused, so that there is something to suggest.
class Splitter {
 public:
  explicit Splitter(std::string_view line) : line_(line) {}

  CommandLine split() {
    while (at_ < line_.size() && !broken_) step();
    end_word();
    end_command();
    refuse_first_words();
    CommandLine result{.placeholders = std::move(placeholders_)};
    if (!broken_ && commands_.empty() && refused_.empty()) refused_ = "it is empty";
    if (refused_.empty()) {
      result.argv = texts(commands_.front());
    } else {
      result.refused = "cannot be split into words: " + refused_ + suggestion();
    }
    return result;
  }

 private:
  char now() const { return line_[at_]; }
  Word& word() {
    if (!word_) word_.emplace();
    return *word_;
  }

  void step() {
    const char c = now();
    if (is_blank(c)) {
      end_word();
      ++at_;
    } else if (c == '\'') {
      single_quoted();
    } else if (c == '"') {
      double_quoted();
    } else if (c == '\\') {
      escaped();
    } else if (c == '<' || c == '>') {
      redirection();
    } else if (std::string_view("|;&()\n").find(c) != std::string_view::npos) {
      refuse(fmt::format("`{}`", c == '\n' ? "newline" : std::string(1, c)), "is shell syntax");
      end_word();
      end_command();
      ++at_;
    } else if (c == '#' && !word_) {
      refuse("`#`", "starts a shell comment");
      at_ = line_.size();
    } else {
      plain(c);
    }
  }

  /// A character outside quotes that stays in the word, whatever a shell would make of it.
  void plain(char c) {
    if (c == '{' && take_placeholder()) return;
    if (c == '$' || c == '`') refuse(fmt::format("`{}`", c), "is expanded by the shell");
    if (c == '*' || c == '?' || c == '[')
      refuse(fmt::format("`{}`", c), "matches file names in the shell");
    if (c == '{' || c == '}')
      refuse(fmt::format("`{}`", c), "is not part of a placeholder such as {name}");
    if (c == '~' && !word_) refuse("`~`", "is expanded by the shell");
    if (c == '=' && !word().quoted && is_assignment(word().text + "=")) word().assigns = true;
    literal(c);
  }

  /// In argv, `{{` and `}}` are braces (docs/commands.md).
  void literal(char c) {
    word().text.append(c == '{' || c == '}' ? 2 : 1, c);
    ++at_;
  }

  bool take_placeholder() {
    const auto found = placeholder(line_.substr(at_));
    if (found.empty()) return false;
    word().text += found;
    at_ += found.size();
    std::string name(found.substr(1, found.size() - 2));
    if (std::find(placeholders_.begin(), placeholders_.end(), name) == placeholders_.end()) {
      placeholders_.push_back(std::move(name));
    }
    return true;
  }

  void single_quoted() {
    const auto begin = at_++;
    word().quoted = true;
    while (at_ < line_.size() && now() != '\'') quoted_character();
    close(begin);
  }

  void double_quoted() {
    const auto begin = at_++;
    word().quoted = true;
    while (at_ < line_.size() && now() != '"') {
      const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : '\0';
      if (now() == '\\' && next == '\n') {
        at_ += 2;
      } else if (now() == '\\' && std::string_view("$`\"\\").find(next) != std::string_view::npos &&
                 next != '\0') {
        ++at_;
        literal(next);
      } else {
        if (now() == '$' || now() == '`')
          refuse(fmt::format("`{}`", now()), "is expanded by the shell");
        quoted_character();
      }
    }
    close(begin);
  }

  void quoted_character() {
    if (now() == '{' && take_placeholder()) return;
    literal(now());
  }

  void close(std::size_t begin) {
    if (at_ >= line_.size()) {
      refuse("the quote", "is not closed", begin);
      broken_ = true;
    } else {
      ++at_;
    }
  }

  void escaped() {
    if (++at_ >= line_.size()) {
      refuse("a backslash", "ends the command and escapes nothing", at_ - 1);
      broken_ = true;
    } else if (now() == '\n') {
      ++at_;
    } else {
      word().quoted = true;
      literal(now());
    }
  }

  /// With its target, none of which belongs to the program's arguments.
  void redirection() {
    refuse(fmt::format("`{}`", now()), "redirects, which only a shell does");
    if (word_ && !word_->quoted && std::all_of(word_->text.begin(), word_->text.end(), is_digit))
      word_.reset();
    end_word();
    while (at_ < line_.size() && std::string_view("<>&|").find(now()) != std::string_view::npos)
      ++at_;
    drop_next_ = true;
  }

  void end_word() {
    if (!word_) return;
    if (!std::exchange(drop_next_, false)) words_.push_back(*std::move(word_));
    word_.reset();
  }

  void end_command() {
    drop_next_ = false;
    if (!words_.empty()) commands_.push_back(std::exchange(words_, {}));
  }

  void refuse(std::string_view what, std::string_view why) { refuse(what, why, at_); }
  void refuse(std::string_view what, std::string_view why, std::size_t at) {
    if (refused_.empty()) refused_ = fmt::format("{} at character {} {}", what, at + 1, why);
  }

  void refuse_first_words() {
    if (!refused_.empty() || commands_.empty()) return;
    const Word& first = commands_.front().front();
    if (first.assigns)
      refused_ = fmt::format("`{}` sets a variable, which only a shell does", first.text);
    if (is_shell_word(first))
      refused_ = fmt::format("`{}` is a shell word, not a program", first.text);
  }

  static bool is_shell_word(const Word& word) {
    return !word.quoted &&
           std::find(kShellWords.begin(), kShellWords.end(), word.text) != kShellWords.end();
  }

  static std::vector<std::string> texts(const Words& words) {
    std::vector<std::string> argv;
    for (const auto& word : words) argv.push_back(word.text);
    return argv;
  }

  /// The first of the line's commands that is a program.
  std::string suggestion() const {
    if (broken_) return "";
    for (const auto& command : commands_) {
      const auto begin = std::find_if(command.begin(), command.end(),
                                      [](const Word& word) { return !word.assigns; });
      if (begin == command.end() || is_shell_word(*begin)) continue;
      return fmt::format(
          "; a tool runs one program, without a shell: write `implementation_config: {{argv: {}}}`",
          to_text(OrderedJson(texts({begin, command.end()}))));
    }
    return "; a tool runs one program, without a shell: write `implementation_config: {argv: [\"PROGRAM\", \"ARGUMENT\"]}`";
  }

  const std::string_view line_;
  std::size_t at_ = 0;
  std::optional<Word> word_;  // the one that is being read
  Words words_;               // of the command that is being read
  std::vector<Words> commands_;
  std::vector<std::string> placeholders_;
  std::string refused_;
  bool drop_next_ = false;  // the next word is the target of a redirection
  bool broken_ = false;     // the rest cannot be judged
};

}  // namespace

CommandLine split_command_line(std::string_view line) {
  // A block scalar of YAML ends in a newline, which ends the command and nothing else.
  while (!line.empty() && (is_blank(line.back()) || line.back() == '\n')) {
    if (line.size() > 1 && line[line.size() - 2] == '\\') break;
    line.remove_suffix(1);
  }
  return Splitter(line).split();
}

}  // namespace toolway::tools::specs
