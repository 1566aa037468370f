#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/mutex.h"
#include "tools/executors/mcp_client/server_link.h"

namespace toolway::tools::executors::mcp_client {

/// The calls of one server over HTTP that have not ended: what it says on a stream of no call is of
/// the one that runs, if that is certain. Thread-safe.
class RunningCalls {
 public:
  /// One of them, until it is destroyed. What it is given must outlive it.
  class Entry {
   public:
    Entry(RunningCalls& of, const LinkCall& call);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    RunningCalls& of_;
    const LinkCall& call_;
  };

  /// A call was given up that may still run at the server, as long as the session of that number
  /// lasts.
  void gave_up(std::uint64_t session);
  /// Hands it the call that runs, which does not end as long as it takes. False: none does, or
  /// several do, or one that was given up may.
  bool with_only(std::uint64_t session, const std::function<void(const LinkCall&)>& take);

 private:
  Mutex mutex_;
  std::vector<const LinkCall*> calls_ GUARDED_BY(mutex_);
  std::uint64_t given_up_in_ GUARDED_BY(mutex_) = 0;  // the number of a session; 0: in none
};

}  // namespace toolway::tools::executors::mcp_client
