#pragma once

#include <functional>
#include <string>

#include "base/mutex.h"
#include "base/result.h"
#include "base/try.h"

namespace toolway::cli::mcp_serve {

/// What a handshake agreed on with a gateway.
struct Agreed {
  std::string session{};     ///< MCP-Session-Id; empty: none yet
  std::string revision{};    ///< MCP-Protocol-Version
  std::string initialize{};  ///< what the client sent, to begin again with
  unsigned number = 0;       ///< of handshakes so far
};

/// The handshake in force. Thread-safe.
class SessionBoard {
 public:
  Agreed now() const {
    const MutexLock lock(mutex_);
    return agreed_;
  }
  void agree(std::string initialize, std::string session, std::string revision) {
    const MutexLock lock(mutex_);
    agreed_ = {.session = std::move(session),
               .revision = std::move(revision),
               .initialize = std::move(initialize),
               .number = agreed_.number + 1};
  }

  /// Makes a handshake again in place of number `old`, with `handshake`, which may block; at once
  /// if another thread has done that. Errors: those of `handshake`.
  Result<void> renew(unsigned old, const std::function<Result<Agreed>(const Agreed&)>& handshake) {
    const MutexLock one_at_a_time(renewing_);
    const auto before = now();
    if (before.number != old) return {};
    ASSIGN_OR_RETURN(auto made, handshake(before));
    agree(before.initialize, std::move(made.session), std::move(made.revision));
    return {};
  }

 private:
  Mutex renewing_;
  mutable Mutex mutex_;
  Agreed agreed_ GUARDED_BY(mutex_);
};

}  // namespace toolway::cli::mcp_serve
