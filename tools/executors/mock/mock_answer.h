#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "tools/model/tool.h"
#include "tools/schema/schema.h"

namespace toolway::tools::executors::mock {

/// What a call's arguments must be for an answer; all that is said must hold.
struct MockWhen {
  Json arguments{};  ///< these are among them, at any depth; null: not said
  std::vector<std::pair<std::string, Json>>
      pointers{};  ///< JSON Pointer (RFC 6901), and what is there
  std::shared_ptr<const schema::CompiledSchema> schema{};  ///< null: not said
};

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
  MockWhen when{};
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
