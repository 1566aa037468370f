#pragma once

#include <functional>
#include <string>

#include "cli/bench/options/options.h"
#include "cli/process/host_port.h"
#include "cli/process/stop_signals.h"
#include "cli/terminal/style.h"

namespace toolway::cli::bench::measures {

/// The life of sessions, measured: closing an idle one, restoring one with unread completions,
/// the memory of many open ones, and many followers that reconnect at once.
struct LifecycleResult {
  double close_p50_ms = 0;
  double close_p99_ms = 0;
  double restore_p50_ms = 0;
  double restore_p99_ms = 0;
  std::size_t sessions = 0;
  double per_session_kb = 0;
  std::size_t followers = 0;
  double opened_s = 0;  ///< until every stream has its headers
  double served_s = 0;  ///< until every follower has read what it missed
};

/// `gateway`: the pid whose memory is reported.
Result<LifecycleResult> measure_lifecycle(const options::BenchOptions& options,
                                          const process::HostPort& where, int gateway,
                                          const std::function<void(const std::string&)>& progress);

/// Prints each figure against its target; whether all hold.
bool report_lifecycle(const LifecycleResult& result, const terminal::Style& style);

}  // namespace toolway::cli::bench::measures
