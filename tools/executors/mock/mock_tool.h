#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "tools/executors/mock/answer_source.h"

namespace toolway::tools::executors::mock {

/// What a mocked call does to the world. A test gives its own.
struct MockEffects {
  /// Waits; false: the call was asked to stop while it waited.
  std::function<bool(std::chrono::milliseconds, const std::stop_token&)> pause;
  /// Never returns, unless in a test.
  std::function<void()> hang;
  /// Ends this process without any cleanup.
  std::function<void()> end_process;

  static MockEffects real();
};

/// A tool of this spec that gives the answers of `sources`: those of the first that has one.
/// Without any that fits, or without sources, it fails with `mock_no_match`.
std::shared_ptr<const model::Tool> mock_tool(model::Spec spec,
                                             std::vector<std::shared_ptr<AnswerSource>> sources,
                                             MockEffects effects);

}  // namespace toolway::tools::executors::mock
