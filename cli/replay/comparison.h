#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"

/// What a replay compares, and how it judges. Pure.
namespace toolway::cli::replay {

/// How a call ended.
struct Ending {
  std::string call_id{};
  std::string outcome{};     ///< or the call's state, if it has not ended: `awaiting_approval`
  std::string error_code{};  ///< empty: none
  Json result{};
  double ran_ms = 0;  ///< of the attempt that ended it; 0: none started
};

/// A call of the recorded session, and how it ended when it was made again.
struct Pair {
  std::string tool;  ///< namespace.name
  Ending recorded;
  Ending replayed;
  std::vector<std::string> differences{};
};

/// A call that was not made again.
struct Skipped {
  std::string call_id;
  std::string tool;
  std::string why;
};

/// What in `replayed` is not as it was recorded, one text each; none: all of it is. Members of
/// results that `ignored` (JSON Pointers, RFC 6901) name may differ, or be missing. Error messages
/// are not compared, their codes are.
std::vector<std::string> differences(const Ending& recorded, const Ending& replayed,
                                     std::span<const std::string> ignored);

/// How much may change, in percent.
struct Bounds {
  double time = 10;    ///< of all calls together, either way
  double memory = 20;  ///< of the stack, either way
  double tool = 5;     ///< that a tool may be slower
  bool times = true;   ///< whether run times are judged
};

/// The run times of a tool's calls, of those that ended as recorded.
struct ToolTimes {
  std::size_t calls = 0;
  std::size_t differ = 0;
  double recorded_ms = 0;
  double replayed_ms = 0;
};

/// A statement about the whole replay, and whether it is as the bounds want it.
struct Judgement {
  std::string name;  ///< pass rate, results, time, tool NAME, memory
  std::string text;
  bool holds = true;
};

/// Resident memory of a stack's processes when the replay had ended, in KB.
struct Memory {
  double kb = 0;
  double baseline_kb = 0;  ///< of an earlier replay; 0: there is none
};

std::map<std::string, ToolTimes> times_by_tool(std::span<const Pair> pairs);

/// Differences in run time below this are noise: the scheduler of a quiet machine alone makes them.
inline constexpr double kNoiseMs = 2;

/// `memory` null: the stack is not this replay's own, so it says nothing about memory.
std::vector<Judgement> judge(std::span<const Pair> pairs, const Memory* memory,
                             const Bounds& bounds);

}  // namespace toolway::cli::replay
