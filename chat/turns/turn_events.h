#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "base/mutex.h"
#include "base/token_bucket.h"
#include "chat/engine/engine.h"
#include "chat/turns/report_ticker.h"
#include "tools/model/tool.h"

namespace toolway::chat::turns {

/// How many reports of a turn are told. Two at once: after one that came at once, the next one
/// comes with a tick, which may be a little sooner than a tenth of a second later.
inline constexpr TokenBucket::Rate kReportRate{.burst = 2, .per_second = 10};

/// What a turn tells while it runs, as progress whose `data` is a list of parts: pieces of text are
/// joined, and ten reports a second carry them. The first piece is told at once, and so are
/// statuses and calls; what is held back is told a tenth of a second after the report before it,
/// whether more comes or not. Of the thread of the turn, and the ticker's.
class TurnEvents {
 public:
  /// All outlive it.
  TurnEvents(tools::model::Progress& progress, const Clock& clock, ReportTicker& ticker)
      : progress_(progress), clock_(clock), ticker_(ticker) {}
  ~TurnEvents() { ticker_.release(this); }
  TurnEvents(const TurnEvents&) = delete;
  TurnEvents& operator=(const TurnEvents&) = delete;

  /// For the engine; valid as long as this.
  engine::Events events();
  /// For what an earlier attempt has told, too: without lines for people.
  engine::Events told_again();
  void status(std::string_view text);
  void usage(const tools::messages::Usage& usage);
  /// Reports what waits.
  void flush();

 private:
  void add(Json part);
  void add_call(const tools::messages::Call& call, const std::string& name);
  void add_result(const tools::messages::CallResult& result);
  void text(std::string_view piece);
  void close_text() REQUIRES(mutex_);
  void push(Json part) REQUIRES(mutex_);
  void report() REQUIRES(mutex_);

  tools::model::Progress& progress_;
  const Clock& clock_;
  ReportTicker& ticker_;
  Mutex mutex_;
  Json parts_ GUARDED_BY(mutex_) = Json::array();
  std::string text_ GUARDED_BY(mutex_);
  std::string last_status_ GUARDED_BY(mutex_);
  double reports_ GUARDED_BY(mutex_) = 0;
  std::optional<MonotonicTime> reported_ GUARDED_BY(mutex_);
  bool held_ GUARDED_BY(mutex_) = false;
};

}  // namespace toolway::chat::turns
