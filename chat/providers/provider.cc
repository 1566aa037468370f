#include "chat/providers/provider.h"

namespace toolway::chat::providers {

bool names_tool(std::string_view tool_choice) {
  return tool_choice != "auto" && tool_choice != "none" && tool_choice != "required";
}

std::string_view kind_name(ProviderError::Kind kind) {
  using Kind = ProviderError::Kind;
  switch (kind) {
    case Kind::kNotConfigured: return "not_configured";
    case Kind::kUnauthenticated: return "unauthenticated";
    case Kind::kDenied: return "permission_denied";
    case Kind::kUnknownModel: return "unknown_model";
    case Kind::kTooLong: return "too_long";
    case Kind::kRefused: return "refused";
    case Kind::kRateLimited: return "rate_limited";
    case Kind::kOverloaded: return "overloaded";
    case Kind::kUnavailable: return "unavailable";
    case Kind::kTimedOut: return "timed_out";
    case Kind::kBadReply: return "bad_reply";
    case Kind::kStopped: return "stopped";
  }
  return "unavailable";
}

}  // namespace toolway::chat::providers
