#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/dev/call_watch.h"
#include "cli/dev/log_tail.h"
#include "cli/terminal/style.h"

namespace toolway::cli::dev {

/// What `toolway dev` says while it runs: lines of its processes' logs that matter, and calls that
/// have ended. For one thread.
class Commentary {
 public:
  /// `logs` is the directory of the processes' logs; made before they start.
  Commentary(const std::string& logs, unsigned gateways, unsigned workers, std::string least,
             const terminal::Style& style);
  /// From now on calls, too. Errors: kBusUnavailable.
  Result<void> watch_calls(const std::string& nats_url);
  /// No longer: the stack is about to end.
  void leave_calls() { calls_.reset(); }
  /// Prints what has happened since the last time.
  void print();
  /// `1 call (bench.work, 12 s)`; empty: none runs, or calls are not watched.
  std::string running(WallTime now) { return calls_ ? calls_->running(now) : std::string(); }

 private:
  void print_log(std::size_t index);

  const std::string least_;
  const terminal::Style style_;
  std::vector<LogTail> logs_;
  std::map<std::string, std::size_t> told_by_;  ///< text: the log that had it first
  std::unique_ptr<CallWatch> calls_;
};

}  // namespace toolway::cli::dev
