#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/terminal/style.h"

/// Errors as a person reads them: what happened, and what to do next in words of the command line.
/// Pure.
namespace toolway::cli::terminal {

/// What a verb was about, as far as it is known.
struct Subject {
  std::string session{};
  std::string tool{};
  std::string call{};
  bool with_credential = false;  ///< a key or token was sent
};

struct Failure {
  ErrorCode code = ErrorCode::kInternal;
  std::string what;                        ///< a sentence without its full stop
  std::vector<std::string> details{};      ///< a line each
  std::vector<std::string> suggestions{};  ///< names that may have been meant, nearest first
  std::string next{};                      ///< what to do; empty: `what` says it, or nothing helps
};

/// The sentence for `code`: `message`, unless it speaks of HTTP where a verb does the same.
std::string what_happened(ErrorCode code, const std::string& message, const Subject& subject);

/// whether the table decides what to do about `code`: a test wants it of each.
bool has_decision(ErrorCode code);

/// What to do about `code`; empty when the message of such an error says it itself. `message`: the
/// error's own, where it decides.
std::string next_step(ErrorCode code, const Subject& subject, std::string_view message = {});

/// `error: …` and its lines, each once. On a terminal of `width` characters sentences are wrapped;
/// what to do next is not, so that a command in it can be copied.
std::string failure_text(const Failure& failure, const Style& style, std::size_t width = 0);

/// `text` after `label` in `colour`, wrapped likewise: its first line, and as they are those after
/// it, which come from a log.
std::string labelled(Colour colour, const std::string& label, const std::string& text,
                     const Style& style, std::size_t width);

/// Without a question of the form `; did you mean …?` at the end, which is asked once, below.
std::string without_question(std::string message);

}  // namespace toolway::cli::terminal
