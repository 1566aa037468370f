#include "extensions/builtin/approval.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "proto/approvals.h"

namespace toolway::extensions::builtin {
namespace {

using tools::specs::Fields;
using tools::specs::NamedMember;

constexpr std::string_view kField = "approval";
constexpr Range<std::int64_t> kQuorum{1, proto::kMaxQuorum};
constexpr Range<std::int64_t> kExpires{1, kLongestHold.count()};

enum class Mode { kNever, kUnsafeOnly, kAlways };

std::optional<Mode> mode_named(std::string_view name) {
  if (name == "never") return Mode::kNever;
  if (name == "unsafe_only") return Mode::kUnsafeOnly;
  if (name == "always") return Mode::kAlways;
  return std::nullopt;
}

struct Approval final : Action {
  std::string text() const override {
    if (mode == Mode::kNever) return "holds no calls for approval";
    const auto who = hold.roles.empty() ? std::string("the tool")
                                        : fmt::format("role {}", fmt::join(hold.roles, " or "));
    const bool one = hold.quorum == 1;
    return fmt::format("holds {} until {} approver{} of {} approve{}, for {} s at most{}",
                       mode == Mode::kAlways ? "calls" : "calls of unsafe tools", hold.quorum,
                       one ? "" : "s", who, one ? "s" : "", hold.expires.count(),
                       hold.requester_may_decide ? "; the requester may decide" : "");
  }
  std::vector<std::string> roles() const override { return hold.roles; }

  Mode mode = Mode::kAlways;
  Hold hold;
};

ActionPtr wrong(const NamedMember& field, Mistakes& mistakes) {
  mistakes.add(field.line,
               "`approval` must be never, unsafe_only or always, or {mode, roles, quorum, "
               "expires_s, requester_may_decide}");
  return nullptr;
}

/// `approval: MODE`, or a mapping.
ActionPtr read_approval(const NamedMember& field, Mistakes& mistakes) {
  auto approval = std::make_shared<Approval>();
  if (field.value->is_text()) {
    const auto mode = mode_named(field.value->scalar.get_ref<const std::string&>());
    if (!mode) return wrong(field, mistakes);
    approval->mode = *mode;
    return approval;
  }
  if (!field.value->is_map()) return wrong(field, mistakes);
  const auto before = mistakes.count();
  Fields fields(*field.value, "`approval`", mistakes);
  const auto mode = mode_named(fields.choice("mode", {"always", "unsafe_only", "never"}));
  if (mode) approval->mode = *mode;
  Hold& hold = approval->hold;
  fields.texts("roles", hold.roles);
  std::int64_t quorum = 1;
  std::int64_t expires = kUsualHold.count();
  fields.whole("quorum", quorum, kQuorum);
  fields.whole("expires_s", expires, kExpires);
  hold.quorum = static_cast<unsigned>(quorum);
  hold.expires = std::chrono::seconds(expires);
  fields.flag("requester_may_decide", hold.requester_may_decide);
  fields.nothing_else();
  if (approval->mode == Mode::kNever && field.value->members.size() > 1)
    fields.wrong("mode", "with `mode: never` nothing is held: leave out what else is here");
  return mistakes.count() == before ? approval : nullptr;
}

class HoldForApproval final : public Extension {
 public:
  Decision before(const Facts& facts) const override {
    const bool asked = facts.spec.requires_approval;
    for (const Rule* rule : facts.rules) {
      const auto* approval = static_cast<const Approval*>(rule->action(kField));
      if (approval == nullptr) continue;
      const bool holds = approval->mode == Mode::kAlways ||
                         (approval->mode == Mode::kUnsafeOnly && (asked || facts.spec.dangerous));
      return {.hold = holds ? std::optional(approval->hold) : std::nullopt, .because = rule->name};
    }
    if (!asked) return {};
    return {.hold = Hold{}, .because = std::string(kRequiresApproval)};
  }
};

}  // namespace

ExtensionType approval_type() {
  return {.name = kField,
          .priority = Priority::kHigh,
          .actions = {kField},
          .read = &read_approval,
          // Always: a spec alone may ask for it.
          .make = [](const PolicyPtr&) -> ExtensionPtr {
            return std::make_shared<const HoldForApproval>();
          }};
}

}  // namespace toolway::extensions::builtin
