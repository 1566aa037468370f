#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "base/token_bucket.h"
#include "chat/engine/engine.h"
#include "tools/model/tool.h"

namespace toolway::chat::turns {

/// How many reports of a turn are told: the first at once.
inline constexpr TokenBucket::Rate kReportRate{.burst = 1, .per_second = 10};

/// What a turn tells while it runs, as progress whose `data` is a list of parts: pieces of text are
/// joined, and ten reports a second carry them. The thread of the turn.
class TurnEvents {
 public:
  /// Both outlive it.
  TurnEvents(tools::model::Progress& progress, const Clock& clock)
      : progress_(progress), clock_(clock) {}

  /// For the engine; valid as long as this.
  engine::Events events();
  void status(std::string_view text);
  void usage(const history::Usage& usage);
  /// Reports what waits.
  void flush();

 private:
  void add(Json part);
  void text(std::string_view piece);
  void close_text();

  tools::model::Progress& progress_;
  const Clock& clock_;
  Json parts_ = Json::array();
  std::string text_;
  std::string last_status_;
  double reports_ = 0;
  std::optional<MonotonicTime> flushed_;
};

}  // namespace toolway::chat::turns
