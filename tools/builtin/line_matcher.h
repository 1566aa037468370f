#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace toolway::tools::builtin {

enum class Syntax { literal, regex };
enum class Case { kSensitive, kIgnored };

/// Finds a pattern in a line. Bounded: a pattern that would take too long is an
/// error, not a hung thread, and nothing recurses with the length of the line
/// (Boost.Regex counts its states; std::regex does neither).
class LineMatcher {
 public:
  /// Errors: kInvalidArguments, with where the pattern is wrong.
  static Result<LineMatcher> make(const std::string& pattern, Syntax syntax, Case letters);
  LineMatcher(LineMatcher&&) noexcept;
  LineMatcher& operator=(LineMatcher&&) noexcept;
  ~LineMatcher();

  /// The first match's offset. Errors: kInvalidArguments: too complex.
  Result<std::optional<std::size_t>> find(std::string_view line) const;

 private:
  struct State;
  explicit LineMatcher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace toolway::tools::builtin
