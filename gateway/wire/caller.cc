#include "gateway/wire/caller.h"

#include "base/ids.h"

namespace toolway::gateway::wire {

namespace {

tl::unexpected<Problem> not_believed(const char* why) {
  return refuse(Problem{.error = Error{ErrorCode::kInvalidRequest, why}, .status = 400});
}

}  // namespace

std::string owner_name(std::string_view tenant, std::string_view user) {
  std::string name;
  name.reserve(tenant.size() + user.size() + 1);
  name.append(tenant).append(1, '\n').append(user);
  return name;
}

HttpResult<Caller> resolve_caller(std::optional<std::string_view> user, UserHeader header) {
  if (!user) return Caller{.user_id = "anonymous", .method = std::string(extensions::kAnonymous)};
  switch (header) {
    case UserHeader::kTrusted: break;
    case UserHeader::kUntrusted:
      return not_believed(
          "X-Toolway-User is not trusted from this address: leave it out, or have an operator name the address with "
          "--trust-user-header");
    case UserHeader::kForwarded:
      return not_believed(
          "X-Toolway-User is not trusted together with Forwarded or X-Forwarded-For: the proxy that --trust-user-header names must "
          "remove those two and set the user itself");
  }
  if (!valid_opaque(*user)) {
    return refuse(ErrorCode::kInvalidIdentifier,
                  "X-Toolway-User must be 1 to 255 bytes of UTF-8 without control characters");
  }
  return Caller{.user_id = std::string(*user), .method = std::string(extensions::kByHeader)};
}

}  // namespace toolway::gateway::wire
