#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

#include "gateway/mcp/rpc_session.h"

namespace toolway::gateway::mcp {

/// Session ids that were opened a moment ago: a client sends the same one with each request. For
/// one thread.
class OpenedSessions {
 public:
  static constexpr std::size_t kMaxSessions = 1000;
  /// So long it takes until keys that are taken back, and an id's expiry, count.
  static constexpr std::chrono::seconds kOpenedFor{10};

  /// Errors: as of open_session_id.
  Result<RpcSession> open(const SealKeys& keys, const wire::Caller& caller,
                          const std::string& sealed, const Clock& clock);
  std::size_t size() const { return kept_.size(); }

 private:
  struct Kept {
    RpcSession session;
    std::string tenant_id;
    std::string user_id;
    MonotonicTime until;
  };
  std::unordered_map<std::string, Kept> kept_;
};

}  // namespace toolway::gateway::mcp
