#include "tools/builtin/line_matcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/regex.hpp>

#include "base/text.h"
#include "tools/model/readable.h"

namespace toolway::tools::builtin {
namespace {

/// Of a longer line only the beginning is matched against a regex.
constexpr std::size_t kMaxRegexLine = 16 * 1024;

}  // namespace

struct LineMatcher::State {
  std::string literal;
  Case letters = Case::kSensitive;
  std::optional<boost::regex> regex;
};

LineMatcher::LineMatcher(std::unique_ptr<State> state) : state_(std::move(state)) {}
LineMatcher::LineMatcher(LineMatcher&&) noexcept = default;
LineMatcher& LineMatcher::operator=(LineMatcher&&) noexcept = default;
LineMatcher::~LineMatcher() = default;

Result<LineMatcher> LineMatcher::make(const std::string& pattern, Syntax syntax, Case letters) {
  auto state = std::make_unique<State>();
  state->literal = pattern;
  state->letters = letters;
  if (syntax == Syntax::regex) {
    try {
      boost::regex::flag_type flags = boost::regex::perl;
      if (letters == Case::kIgnored) flags |= boost::regex::icase;
      state->regex.emplace(pattern, flags);
    } catch (const std::exception& error) {
      return fail(
          ErrorCode::kInvalidArguments,
          fmt::format("/pattern: not a regular expression: {}", model::readable(error.what())));
    }
  }
  return LineMatcher(std::move(state));
}

Result<std::optional<std::size_t>> LineMatcher::find(std::string_view line) const {
  std::optional<std::size_t> none;
  if (state_->regex) {
    const std::string_view part = line.substr(0, kMaxRegexLine);
    try {
      boost::cmatch match;
      if (!boost::regex_search(part.data(), part.data() + part.size(), match, *state_->regex))
        return none;
      return std::optional<std::size_t>(static_cast<std::size_t>(match.position()));
    } catch (const std::exception&) {
      return fail(ErrorCode::kInvalidArguments,
                  "/pattern: too complex for the text it met; make it more specific");
    }
  }
  if (state_->letters == Case::kSensitive) {
    const auto at = line.find(state_->literal);
    return at == std::string_view::npos ? none : std::optional(at);
  }
  const auto at =
      std::search(line.begin(), line.end(), state_->literal.begin(), state_->literal.end(),
                  [](char a, char b) { return lower_letter(a) == lower_letter(b); });
  return at == line.end() ? none : std::optional(static_cast<std::size_t>(at - line.begin()));
}

}  // namespace toolway::tools::builtin
