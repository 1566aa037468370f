#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/bench/ledger.h"
#include "cli/bench/options.h"
#include "cli/process/files.h"
#include "cli/process/stop_signals.h"

namespace toolway::cli {

struct LoadResult {
  std::uint64_t sent = 0;    ///< calls, measured ones only
  std::uint64_t errors = 0;  ///< refused, failed, or never seen to complete
  std::string first_error;
  std::int64_t began = 0;        ///< ns, of the measured part
  std::int64_t ended = 0;        ///< ns, when the last completion was seen
  std::uint64_t events = 0;      ///< seen, each once; a second time is an error
  std::uint64_t reconnects = 0;  ///< of event streams
  bool interrupted = false;
};

/// Makes calls over HTTP and sees each completed on its session's event stream, on this
/// thread: warm-up, then the measured part, until every call is completed or
/// nothing has come for 30 s. `progress` is called once a second, `followed` when all streams are
/// open.
Result<LoadResult> run_load(const BenchOptions& options, const HostPort& where,
                            const std::vector<std::string>& sessions, Ledger& ledger,
                            StopSignals& signals,
                            const std::function<void(const std::string&)>& progress,
                            const std::function<void()>& followed);

}  // namespace toolway::cli
