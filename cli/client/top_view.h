#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "cli/terminal/view.h"

/// What `toolway top` shows, from what a gateway answers. Pure.
namespace toolway::cli::client {

/// A pool: its workers, and the calls that wait for them.
struct PoolLoad {
  unsigned workers = 0;
  unsigned slots = 0;
  unsigned held = 0;
  unsigned paused = 0;  ///< workers that take no calls, for now or for good
  double waiting = 0;
};
/// By name. `metrics`: the text of `GET /metrics`, of which the depths of queues are read.
std::map<std::string, PoolLoad> pool_loads(const OrderedJson& workers, std::string_view metrics);

/// A tool's calls among those that were looked at.
struct ToolLoad {
  std::string tool;
  unsigned calls = 0;
  unsigned open = 0;
  unsigned not_succeeded = 0;
  double median_ms = 0;
  double longest_ms = 0;
};
/// Those that ran longest first.
std::vector<ToolLoad> tool_loads(const OrderedJson& calls);

/// Of the calls that were submitted in the last `seconds`.
struct TopAnswers {
  OrderedJson workers;
  OrderedJson calls;  ///< with `next` when there are more than were asked for
  std::string metrics;
  unsigned seconds = 60;
};
std::string top_text(const TopAnswers& answers, const terminal::View& view);

}  // namespace toolway::cli::client
