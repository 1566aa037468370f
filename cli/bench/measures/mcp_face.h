#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/bench/measures/parked_questions.h"
#include "cli/bench/options/options.h"
#include "cli/process/stop_signals.h"
#include "cli/terminal/style.h"

namespace toolway::cli::bench::measures {

inline constexpr unsigned kFaceTools = 1000;
inline constexpr unsigned kFaceTasks = 1000;
inline constexpr unsigned kFaceHandshakes = 10'000;
inline constexpr unsigned kFaceStreams = 1000;
inline constexpr unsigned kFaceQuestions = 1000;

/// Calls of a tool that does nothing, through one face.
struct FaceCalls {
  std::string name;
  double calls_per_s = 0;  ///< with many connections
  double p50_ms = 0;       ///< of one connection
  double ratio = 1;        ///< of its calls/s to REST's
  double over_ms = 0;      ///< of its p50 to REST's
  double gateway_us = 0;   ///< CPU of the gateway for a call
};

struct Polls {
  double per_s = 0;
  double p99_ms = 0;
};

/// What clients of /mcp get, beside REST in the same run. Of rounds, the median.
struct McpFaceResult {
  std::vector<FaceCalls> calls;  ///< REST first
  double list_p99_ms = 0;        ///< of `tools/list`, of 1,000 tools
  Polls ended;                   ///< `tasks/get` of tasks that have ended
  Polls waiting;                 ///< of tasks most of which wait for a worker
  double per_session_kb = 0;     ///< of the gateway's memory, of 10,000 handshake sessions
  double per_stream_kb = 0;      ///< of 1,000 open streams (GET)
  double per_result_kb = 0;      ///< of 1,000 waiting `tasks/result`
  int threads_before = 0;        ///< of the gateway
  int threads_waiting = 0;       ///< with those results
  ParkedQuestions questions;     ///< 1,000 calls that wait for an answer
};

/// Starts a stack of its own. Blocks. Errors: as a stack's; kInvalidRequest for an answer that is
/// not as it should be.
Result<McpFaceResult> measure_mcp_face(const options::BenchOptions& options,
                                       process::StopSignals& signals,
                                       const std::function<void(const std::string&)>& progress);

/// Prints each figure against its target; whether all hold.
bool report_mcp_face(const McpFaceResult& result, const terminal::Style& style);

OrderedJson mcp_face_json(const McpFaceResult& result);

}  // namespace toolway::cli::bench::measures
