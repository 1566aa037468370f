#include "gateway/calls/reason_body.h"

#include "base/try.h"
#include "extensions/redaction/mask.h"
#include "gateway/wire/request_body.h"

namespace toolway::gateway::calls {
namespace {

constexpr std::size_t kMaxReasonLength = 1024;

}  // namespace

wire::HttpResult<std::string> parse_reason(std::string_view body,
                                           const extensions::chain::PolicyBoard& policies) {
  if (body.empty()) return std::string();
  ASSIGN_OR_RETURN(auto json, wire::parse_body(body));
  Mistakes mistakes;
  wire::BodyReader reader(json, mistakes);
  reader.only({"reason"});
  const std::string* reason = reader.text("reason");
  if (reason != nullptr && reason->size() > kMaxReasonLength) {
    reader.wrong("reason", "expected at most 1024 bytes", "maxLength");
  }
  if (mistakes.count() > 0) return wire::refuse(wire::invalid_request(std::move(mistakes).take()));
  if (reason == nullptr) return std::string();
  return masked_reason(*reason, policies);
}

std::string masked_reason(std::string reason, const extensions::chain::PolicyBoard& policies) {
  const auto policy = policies.in_force();
  return extensions::redaction::Mask(policy ? policy->policy : nullptr, {}, {})
      .text(std::move(reason));
}

}  // namespace toolway::gateway::calls
