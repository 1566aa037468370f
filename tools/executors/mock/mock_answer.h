#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "tools/matching/when.h"
#include "tools/model/tool.h"

namespace toolway::tools::executors::mock {

/// A report, and how long after the call's beginning it comes.
struct MockReport {
  std::chrono::milliseconds after{0};
  model::ProgressReport report{};
};

/// How a mocked call ends.
enum class MockEnd {
  kResult,
  kError,
  kToolCrash,    ///< as if the process that runs the tool had ended
  kWorkerCrash,  ///< the worker's own process ends
  kHang,         ///< never, even when asked to
};

/// One scripted or recorded answer.
struct MockAnswer {
  std::string at{};  ///< `file:line`
  matching::When when{};
  std::vector<MockReport> progress{};  ///< in order of time
  /// From the call's beginning to its end, or until the last report if that is later;
  /// drawn from the range each time.
  std::chrono::milliseconds delay{0};
  std::chrono::milliseconds longest_delay{0};
  MockEnd end = MockEnd::kResult;
  Json result{};              ///< of kResult
  model::ToolError error{};   ///< of kError
  std::uint64_t times = 0;    ///< how often it may be given; 0: always
  bool has_templates = true;  ///< false: recorded, so braces are braces
};

}  // namespace toolway::tools::executors::mock
