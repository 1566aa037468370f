#include "extensions/builtin/permissions.h"

#include <fmt/format.h>

namespace toolway::extensions::builtin {
namespace {

class Permissions final : public Extension {
 public:
  explicit Permissions(PolicyPtr policy) : policy_(std::move(policy)) {}

  Decision before(const Facts& facts) const override {
    const auto grants = grants_of(policy_, facts.caller);
    if (!grants) return {};
    if (!grants->may_call(facts.spec)) return {.refusal = not_granted(facts.spec, *grants)};
    return {.because = grants->roles_text()};
  }

 private:
  const PolicyPtr policy_;
};

}  // namespace

Error not_granted(const tools::model::Spec& spec, const Grants& grants) {
  if (!grants.within_tenant(spec.ns))
    return {ErrorCode::kPermissionDenied,
            fmt::format("you may not call {}: your tenant may not open namespace {}",
                        spec.qualified_name(), spec.ns)};
  if (!grants.within_limits(spec.ns))
    return {
        ErrorCode::kPermissionDenied,
        fmt::format("you may not call {}: your key or token is limited to other namespaces; use "
                    "another credential",
                    spec.qualified_name())};
  std::string needs = fmt::format("call:{}", spec.qualified_name());
  for (const auto& permission : spec.permissions) needs += fmt::format(", {}", permission);
  return {
      ErrorCode::kPermissionDenied,
      fmt::format("you may not call {}: it needs permission {}; ask an operator for a role that "
                  "grants it",
                  spec.qualified_name(), needs)};
}

ExtensionType permissions_type() {
  return {.name = "permissions",
          .priority = Priority::kHighest,
          .make = [](const PolicyPtr& policy) -> ExtensionPtr {
            return std::make_shared<const Permissions>(policy);
          }};
}

}  // namespace toolway::extensions::builtin
