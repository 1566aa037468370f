#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace toolway::tools::templates {

/// A `{name}` in a word of a command, or in part of a request (docs/commands.md and docs/http.md
/// have the syntax).
struct Placeholder {
  enum class Presence { kRequired, kOptional, kEach };  // {name} {name?} {name*}
  enum class Form {
    kPlain,
    kJson,
    kOption,
    kWords
  };  // {name} {name:json} {name:option} {name:words}
  std::string name;
  Presence presence = Presence::kRequired;
  Form form = Form::kPlain;
  bool secret = false;  ///< {secret:NAME}: of the worker's, not of the arguments
};

/// Whether a template may hold `{secret:NAME}`.
enum class SecretPlaceholders { kRefused, kAllowed };

/// Text with placeholders in it. Immutable.
struct ArgumentTemplate {
  struct Part {
    std::string literal;  ///< when there is no placeholder
    std::optional<Placeholder> placeholder{};
  };
  std::vector<Part> parts;  ///< literals are not empty and not next to each other

  /// The whole of it is one placeholder.
  const Placeholder* only_placeholder() const;
  bool is_literal() const { return parts.empty() || (parts.size() == 1 && !parts[0].placeholder); }
};

/// `{{` and `}}` are braces. Errors: kInvalidSpec, in words, with the position.
Result<ArgumentTemplate> parse_argument_template(
    std::string_view text, SecretPlaceholders secrets = SecretPlaceholders::kRefused);

/// A property that a placeholder may name, and what it stands for when it is not given.
struct ArgumentSource {
  const Json& arguments;
  const Json& defaults;  ///< an object: properties' `default`s
};

/// A value that is given, or replaces one that is not; null: neither. JSON's null counts as not
/// given, except for `{name:json}`.
const Json* value_of(const Placeholder& placeholder, const ArgumentSource& source);
/// The same where JSON is written: there null is a value as well, except for `{name?}`.
const Json* json_value_of(const Placeholder& placeholder, const ArgumentSource& source);

/// What is wrong with a placeholder's value.
tl::unexpected<Error> refuse(const Placeholder& placeholder, std::string_view what);
/// A value, or the item `index` of one, as text where `what` holds it, e.g. "a command's argument".
/// Errors: kInvalidArguments.
Result<std::string> value_text(const Placeholder& placeholder, const Json& value,
                               std::string_view what, std::optional<std::size_t> index = {});

/// The text of a template in one piece; nothing when an optional value is not
/// given. A value is text as it is, a number or boolean as JSON writes it.
/// Errors: kInvalidArguments (not given, no text, NUL in it).
Result<std::optional<std::string>> render_text(const ArgumentTemplate& text,
                                               const ArgumentSource& source);

/// Whether a word may begin with `-`.
enum class Dashes { kRefused, kAllowed };

/// Appends the words that a template of one word stands for to `words`: one, or none
/// (optional), or the number that `{name*}` and `{name:words}` say. Errors: as above, and
/// kInvalidArguments for a value that begins a word with `-`.
Result<void> render_words(const ArgumentTemplate& word, const ArgumentSource& source, Dashes dashes,
                          std::vector<std::string>& words);

/// Splits a line into words as a shell does with quotes and backslashes, and
/// nothing else of a shell: no variable, glob, or operator means anything.
/// Errors: kInvalidArguments (a quote that does not end).
Result<std::vector<std::string>> split_words(std::string_view line);

}  // namespace toolway::tools::templates
