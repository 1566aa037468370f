#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace toolway::tools::schema {

/// A regular expression of a schema (`pattern`, `patternProperties`), matched by RE2: the time
/// grows with the length of the text times that of the pattern, whatever both say, and the
/// memory is bounded. Immutable, thread-safe.
class Pattern {
 public:
  /// Error: why RE2 cannot match it.
  static tl::expected<Pattern, std::string> create(std::string_view ecma);
  Pattern(Pattern&&) noexcept;
  ~Pattern();

  /// Whether it matches somewhere in `text`, which is UTF-8.
  bool found_in(std::string_view text) const;
  /// Puts `by` in place of all that it matches in `text`.
  void replace_in(std::string& text, std::string_view by) const;
  /// The most that `found_in` takes, in steps of a hundred nanoseconds (schema_work.h).
  std::uint64_t steps(std::size_t text_size) const;

 private:
  class Matcher;
  explicit Pattern(std::unique_ptr<const Matcher> matcher);
  std::unique_ptr<const Matcher> matcher_;
};

}  // namespace toolway::tools::schema
