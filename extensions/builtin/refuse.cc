#include "extensions/builtin/refuse.h"

#include <fmt/format.h>

#include <chrono>

namespace toolway::extensions::builtin {
namespace {

using tools::specs::Fields;
using tools::specs::NamedMember;

constexpr Range<std::int64_t> kRetryAfter{1, 86'400};

/// Of `refuse`, and of `allow` without a refusal.
struct Refusal final : Action {
  explicit Refusal(std::optional<Error> error) : refusal(std::move(error)) {}
  std::string text() const override {
    return refusal ? "refuses: " + refusal->message : std::string("allows");
  }
  const std::optional<Error> refusal;
};

ActionPtr read_allow(const NamedMember& field, Mistakes& mistakes) {
  if (field.value->scalar == OrderedJson(true))
    return std::make_shared<const Refusal>(std::nullopt);
  mistakes.add(field.line, "`allow` must be true; a rule that refuses says `refuse`");
  return nullptr;
}

/// `refuse: TEXT`, or `{message, code, retry_after_s}`.
ActionPtr read_refuse(const NamedMember& field, Mistakes& mistakes) {
  if (field.value->is_text() && !field.value->scalar.get_ref<const std::string&>().empty())
    return std::make_shared<const Refusal>(
        Error{ErrorCode::kPermissionDenied, field.value->scalar.get<std::string>()});
  if (!field.value->is_map()) {
    mistakes.add(field.line,
                 "`refuse` must be the text that callers read, or {message, code, "
                 "retry_after_s}");
    return nullptr;
  }
  const auto before = mistakes.count();
  Fields fields(*field.value, "`refuse`", mistakes);
  Error refusal;
  fields.required_text("message", refusal.message);
  const auto code = fields.choice("code", {"permission_denied", "tool_disabled"});
  refusal.code = code == "tool_disabled" ? ErrorCode::kToolDisabled : ErrorCode::kPermissionDenied;
  if (fields.find("retry_after_s") != nullptr) {
    std::int64_t seconds = 1;
    fields.whole("retry_after_s", seconds, kRetryAfter);
    refusal.retry_after = std::chrono::seconds(seconds);
    if (refusal.code == ErrorCode::kPermissionDenied)
      fields.wrong("retry_after_s",
                   "trying again does not help against permission_denied: say "
                   "`code: tool_disabled`, or leave `retry_after_s` out");
  }
  fields.nothing_else();
  return mistakes.count() == before ? std::make_shared<const Refusal>(std::move(refusal)) : nullptr;
}

ActionPtr read_verdict(const NamedMember& field, Mistakes& mistakes) {
  return field.name == "allow" ? read_allow(field, mistakes) : read_refuse(field, mistakes);
}

class Refuse final : public Extension {
 public:
  Decision before(const Facts& facts) const override {
    for (const Rule* rule : facts.rules) {
      if (const auto* action = rule->action("refuse"))
        return {.refusal = static_cast<const Refusal*>(action)->refusal, .because = rule->name};
      if (rule->action("allow") != nullptr) return {.because = rule->name};
    }
    return {};
  }
};

}  // namespace

ExtensionType refuse_type() {
  static constexpr std::string_view kActions[]{"allow", "refuse"};
  return {.name = "refuse",
          .priority = Priority::kHigh,
          .actions = {kActions[0], kActions[1]},
          .read = &read_verdict,
          .make = [](const PolicyPtr& policy) -> ExtensionPtr {
            if (!asks_for(*policy, kActions)) return nullptr;
            return std::make_shared<const Refuse>();
          }};
}

}  // namespace toolway::extensions::builtin
