#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/bench/measures/mcp_requests.h"

namespace toolway::cli::bench::measures {

/// Where calls that ask are begun: an MCP client's session (2025-11-25).
struct AskingClient {
  std::string path;     ///< its endpoint
  std::string headers;  ///< as of McpRequests::handshake
};

/// The worker that runs them.
struct WorkerAtHand {
  int pid = 0;
  std::string metrics_url;
};

/// What calls cost a worker whose tools wait for an answer.
struct ParkedQuestions {
  double parked_s = 0;    ///< until all were parked, from the first call on
  double slots_used = 0;  ///< then
  int threads_more = 0;   ///< of the worker then, compared with before
  double each_kb = 0;     ///< likewise its memory, for each call
  double answered_s = 0;  ///< until all had ended, from the first answer on
};

/// Begins `count` calls of `bench.ask` as tasks, waits until none has a slot, answers them all over
/// REST, and waits for their ends. Blocks. Errors: kTimeout after two minutes of one of these,
/// kInvalidRequest for an answer that is not as it should be.
Result<ParkedQuestions> measure_parked(const McpRequests& requests,
                                       const std::vector<AskingClient>& clients,
                                       const WorkerAtHand& worker, std::size_t count);

}  // namespace toolway::cli::bench::measures
