#include "gateway/caller.h"

#include "base/ids.h"

namespace toolway::gateway {

Answer<Caller> resolve_caller(std::optional<std::string_view> user, Peer peer) {
  if (!user) return Caller{"anonymous", "anonymous"};
  if (peer != Peer::kLoopback) {
    return refuse(ErrorCode::kPermissionDenied,
                  "X-Toolway-User is honoured from loopback only; leave it out");
  }
  if (!valid_opaque(*user)) {
    return refuse(ErrorCode::kInvalidIdentifier,
                  "X-Toolway-User is 1 to 255 bytes of UTF-8 without control characters");
  }
  return Caller{std::string(*user), "header"};
}

}  // namespace toolway::gateway
