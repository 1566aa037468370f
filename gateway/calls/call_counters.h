#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "monitoring/metrics.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::gateway::calls {

/// Counts what this gateway does to calls. On the io_context's thread.
class CallCounters {
 public:
  explicit CallCounters(monitoring::Metrics& metrics) : metrics_(metrics) {}

  void refused(ErrorCode code);
  void accepted(const v1::CallRequest& call);
  /// A request got the call of an earlier one with its Idempotency-Key.
  void replayed();
  /// This gateway itself has ended a call.
  void completed(const v1::CallLabels& labels, std::string_view pool, v1::Outcome outcome);
  /// `result`: what became of a cancellation, or `failed`.
  void cancelled(std::string_view result);
  /// This many were still in progress when closing their session stopped waiting for them.
  void outlasted_close(std::size_t calls);

 private:
  monitoring::Metrics& metrics_;
  std::unordered_map<std::string, monitoring::Counter*> accepted_;  ///< by pool and qualified name
};

}  // namespace toolway::gateway::calls
