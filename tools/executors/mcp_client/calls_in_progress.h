#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tools/executors/mcp_client/stdio_session.h"
#include "tools/executors/mcp_client/waiting_call.h"

namespace toolway::tools::executors::mcp_client {

/// The calls that one process of a server was sent and has not answered, by the ids of their
/// requests. Pure; whose lock guards it tells the calls how they ended, without that lock.
class CallsInProgress {
 public:
  using Ends = std::vector<std::pair<std::shared_ptr<WaitingCall>, CallEnd>>;

  void add(std::int64_t id, std::shared_ptr<WaitingCall> waiting);
  /// Its call no longer waits, and may still run. False: it has ended.
  bool forget(std::int64_t id);
  /// To the call that the server asks for. False: which one cannot be told, unless one alone runs.
  bool ask(const mcp::Request& request);
  /// The server no longer wants that answered.
  void withdraw(const mcp::RequestId& request);
  /// Of a call that has ended, or of no call: nothing.
  void report(mcp::ProgressNotification report);
  void end(std::int64_t id, CallEnd end, Ends& ends);
  /// An answer that cannot be read; when it does not say whose it is, every call may wait for it.
  void lose(const StdioSession::Nonsense& nonsense, Ends& ends);
  /// Ends all; those whose requests are `unsent` may be sent again.
  Ends server_died(const std::set<std::int64_t>& unsent);

 private:
  void give_up(std::int64_t id);

  static constexpr std::size_t kMaxGivenUp = 10'000;
  std::map<std::int64_t, std::shared_ptr<WaitingCall>> calls_;
  std::set<std::int64_t> given_up_;  // and not answered: they may still run
  bool lost_count_ = false;          // of those
};

}  // namespace toolway::tools::executors::mcp_client
