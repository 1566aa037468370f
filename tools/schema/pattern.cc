#include "tools/schema/pattern.h"

#include <re2/re2.h>

#include "base/try.h"
#include "tools/schema/pattern_syntax.h"

namespace toolway::tools::schema {
namespace {

/// Of each pattern, for its program and the states that it remembers. A pattern that needs
/// more for its program is refused; one that needs more states is matched without them.
constexpr std::int64_t kMaxMemory = 1024 * 1024;
/// Instructions times bytes of text in one step, by RE2's slowest way (without its states).
constexpr std::uint64_t kWorkOfStep = 32;

RE2::Options options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(kMaxMemory);
  return options;
}

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

class Pattern::Matcher {
 public:
  explicit Matcher(std::string_view syntax) : re2(piece(syntax), options()) {}
  const RE2 re2;
};

tl::expected<Pattern, std::string> Pattern::create(std::string_view ecma) {
  ASSIGN_OR_RETURN(const auto syntax, to_re2_syntax(ecma));
  auto matcher = std::make_unique<const Matcher>(syntax);
  if (!matcher->re2.ok()) {
    const auto& about = matcher->re2.error_arg();
    std::string reason = matcher->re2.error();
    if (!about.empty() && reason.find(about) == std::string::npos) reason += ": " + about;
    return tl::unexpected(std::move(reason));
  }
  return Pattern(std::move(matcher));
}

Pattern::Pattern(std::unique_ptr<const Matcher> matcher) : matcher_(std::move(matcher)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

bool Pattern::found_in(std::string_view text) const {
  return RE2::PartialMatch(piece(text), matcher_->re2);
}

void Pattern::replace_in(std::string& text, std::string_view by) const {
  RE2::GlobalReplace(&text, matcher_->re2, piece(by));
}

std::uint64_t Pattern::steps(std::size_t text_size) const {
  const auto instructions = static_cast<std::uint64_t>(matcher_->re2.ProgramSize());
  return 1 + (text_size + 1) * instructions / kWorkOfStep;
}

}  // namespace toolway::tools::schema
