#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace toolway::tools::templates {

/// What templates may name.
struct BracesInput {
  const Json& arguments;
  unsigned attempt = 1;
  std::uint64_t count = 1;  ///< how often a mock's answer has been given, this time included
};

/// What is between `{{` and `}}`.
struct BracePlaceholder {
  std::string pointer;    ///< of an argument (RFC 6901); empty: `word` says what
  std::string word;       ///< `attempt` or `count`
  bool optional = false;  ///< `{{name?}}`
};

/// A text in pieces: literals and placeholders, in order.
struct BracePiece {
  std::string literal{};
  bool is_placeholder = false;
  BracePlaceholder placeholder{};
};

/// `{{name}}`, `{{/a/0/b}}` (a JSON Pointer into the arguments), `{{name?}}`, `{{$attempt}}`,
/// `{{$count}}`;
/// `{{{{` is `{{`. Errors: kInvalidSpec, in words.
Result<std::vector<BracePiece>> parse_double_braces(std::string_view text);

/// What is wrong with the templates in the strings of `value`, at any depth; empty: nothing.
/// `names`: gets the pointers of all arguments that are named.
std::vector<std::string> double_brace_mistakes(const Json& value, std::vector<std::string>& names);

/// The arguments that `pointers` name, and that are not properties of an object's schema.
std::vector<std::string> not_among(const OrderedJson& schema,
                                   const std::vector<std::string>& pointers);

/// `value` with its strings' templates filled in. A string that is one placeholder and nothing
/// else becomes that argument, whatever its type; inside other text an argument is text as it is,
/// or JSON. An optional one that is not given is null, or nothing. Errors: kInvalidArguments (not
/// given).
Result<Json> fill_braces(const Json& value, const BracesInput& call);
/// A text. Errors: as above.
Result<std::string> fill_braces_in_text(const std::string& text, const BracesInput& call);

}  // namespace toolway::tools::templates
