#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/try.h"

namespace toolway::cli::mcp_serve {

/// What a handshake agreed on with a gateway.
struct Agreed {
  std::string session{};             ///< MCP-Session-Id; empty: none yet
  std::string revision{};            ///< MCP-Protocol-Version
  std::vector<std::string> lists{};  ///< `tools`, …: whose changes the gateway tells
  std::string initialize{};          ///< what the client sent, to begin again with
  unsigned number = 0;               ///< of handshakes so far
  std::stop_token replaced{};        ///< requested once another handshake is in force
};

/// The handshake in force. Thread-safe.
class SessionBoard {
 public:
  SessionBoard() { agreed_.replaced = replaced_.get_token(); }

  Agreed now() const {
    const MutexLock lock(mutex_);
    return agreed_;
  }
  void agree(std::string initialize, Agreed made) {
    std::stop_source before;
    {
      const MutexLock lock(mutex_);
      before = std::exchange(replaced_, std::stop_source());
      made.initialize = std::move(initialize);
      made.number = agreed_.number + 1;
      made.replaced = replaced_.get_token();
      agreed_ = std::move(made);
    }
    before.request_stop();
  }

  /// Makes a handshake again in place of number `old`, with `handshake`, which may block; at once
  /// if another thread has done that. Errors: those of `handshake`.
  Result<void> renew(unsigned old, const std::function<Result<Agreed>(const Agreed&)>& handshake) {
    const MutexLock one_at_a_time(renewing_);
    const auto before = now();
    if (before.number != old) return {};
    ASSIGN_OR_RETURN(auto made, handshake(before));
    agree(before.initialize, std::move(made));
    return {};
  }

 private:
  Mutex renewing_;
  mutable Mutex mutex_;
  std::stop_source replaced_ GUARDED_BY(mutex_);  ///< of `agreed_`
  Agreed agreed_ GUARDED_BY(mutex_);
};

}  // namespace toolway::cli::mcp_serve
