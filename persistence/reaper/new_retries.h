#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bus/stream_reader.h"
#include "persistence/reaper/reap.h"
#include "persistence/reaper/recorded_calls.h"

namespace toolway::persistence::reaper {

/// A page of events that calls wait for (RetryAt, ApprovalDecided, InputProvided), in the order of
/// the stream, and what it tells.
struct RetryPage {
  std::vector<store::RecordedEvent> retries;
  bool full = false;           ///< there may be more
  store::EventPosition floor;  ///< everything up to here was recorded before the page was read

  /// The calls among them that wait for the reaper: their worker's message does not bring their
  /// next attempt.
  std::vector<std::string> calls(const ReapRules& rules) const;
  /// No page from here on lacks what is recorded later. What this page shows of what follows, the
  /// next one shows again: collectors commit in any order.
  store::EventPosition seen() const;
};

/// Finds the calls that have come to wait for the reaper since the last question, soon enough for
/// their delay, however long ago the reaper looked at them. Asks the bus and waits. Of the reaper's
/// thread.
class NewRetries {
 public:
  NewRetries(bus::StreamReader& bus, RecordedCalls& recorded) : bus_(bus), recorded_(recorded) {}

  /// What is recorded by now is found by another search.
  void begin_anew() { seen_.reset(); }
  /// The next page, of calls that are not older than `window`. Errors: those of the bus, and as
  /// RecordedCalls.
  Result<RetryPage> find(WallTime window);
  /// Its calls are watched from now on: do not find them again.
  void found(const RetryPage& page) { seen_ = page.seen(); }

 private:
  bus::StreamReader& bus_;
  RecordedCalls& recorded_;
  std::optional<store::EventPosition> seen_;
};

}  // namespace toolway::persistence::reaper
