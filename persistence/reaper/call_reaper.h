#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "bus/bus.h"
#include "persistence/reaper/call_queue.h"
#include "persistence/reaper/new_retries.h"
#include "persistence/reaper/reap_round.h"
#include "persistence/reaper/reaper_metrics.h"
#include "persistence/reaper/reaper_options.h"
#include "persistence/reaper/recorded_calls.h"
#include "persistence/reaper/watched_calls.h"

namespace toolway::persistence::reaper {

/// Finds the calls that are not completed, and carries out what `ReapRound` decides about them.
/// Of the reaper's thread.
class CallReaper {
 public:
  CallReaper(bus::Bus& bus, const Clock& clock, ElectedConnection& connection,
             ReaperMetrics& metrics, const ReaperOptions& options);

  /// Another reaper may have acted: everything known is searched for again.
  void begin_anew();
  /// One round. `recorded`: both streams are recorded up to there.
  Result<void> round(WallTime recorded);

 private:
  /// Whether all calls up to there are searched.
  Result<bool> search(WallTime upto);
  Result<void> search_again();
  /// Of calls that may be older than the window.
  struct OldSearch {
    std::string upto{};  ///< all up to this id were searched; empty: none
    bool all = false;    ///< and there are no more: those that follow are young
    /// What a page of `limit` at most shows.
    void searched(const std::vector<ReapFacts>& page, std::size_t limit);
  };
  Result<void> search_old();
  /// The approval of a call may expire before the call is old enough to be searched.
  Result<void> search_newly_held(WallTime upto);
  void watch_new(const std::vector<ReapFacts>& page);
  Result<void> search_page(std::string& at, const std::string& upto);
  Result<void> look_at_retries(WallTime recorded);
  Result<void> look_at_due(WallTime recorded);
  /// False: Postgres was slow, and some were not looked at.
  Result<bool> look_at_all(const std::vector<std::string>& ids, WallTime recorded);
  Result<void> count_by_session();
  void watch(const ReapFacts& facts, WallTime look_at);
  /// Carries the look at one call to its end. False: Postgres was slow, and it was not looked at.
  Result<bool> look_at(ReapRound& round, ReapFacts facts);
  Result<void> act(const ReapRound& round, const ReapStep& step);
  Result<void> publish_again(const ReapRound& round);
  Result<void> request_approval(const ReapRound& round);
  Result<void> complete(const ReapRound& round);

  bus::Bus& bus_;
  const Clock& clock_;
  RecordedCalls recorded_;
  ReaperMetrics& metrics_;
  const ReaperOptions& options_;
  CallQueue queue_;
  NewRetries retries_;
  WatchedCalls watched_;
  std::string searched_;  ///< all calls up to this id were searched
  std::string again_;     ///< the same of the slow second search
  OldSearch held_;
  OldSearch asking_;
  MonotonicTime next_count_{};
};

}  // namespace toolway::persistence::reaper
