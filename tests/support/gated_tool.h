#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "tests/support/awaiting.h"
#include "tools/model/registry.h"

namespace toolway::test {

/// Holds up the first thread that reads a tool's spec after it was closed.
class SpecGate {
 public:
  void close() {
    const std::scoped_lock lock(mutex_);
    state_ = State::kClosed;
  }
  void open() {
    const std::scoped_lock lock(mutex_);
    state_ = State::kOpen;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++reads_[std::this_thread::get_id()];
    if (state_ != State::kClosed) return;
    state_ = State::kHolding;
    changed_.notify_all();
    if (!changed_.wait_for(lock, kPatience, [this] { return state_ == State::kOpen; }))
      gave_up_ = true;
  }
  /// Returns once a thread is held up; false: none came.
  bool await_reader() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [this] { return state_ == State::kHolding; });
  }
  /// Whether a held-up thread ran out of patience: it was the one that should have opened.
  bool gave_up() const {
    const std::scoped_lock lock(mutex_);
    return gave_up_;
  }
  std::size_t reads_by(std::thread::id thread) const {
    const std::scoped_lock lock(mutex_);
    const auto found = reads_.find(thread);
    return found == reads_.end() ? 0 : found->second;
  }

 private:
  enum class State { kOpen, kClosed, kHolding };
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kOpen;
  bool gave_up_ = false;
  std::map<std::thread::id, std::size_t> reads_;
};

/// A tool that shows who reads its spec, and when.
class GatedTool final : public tools::model::Tool {
 public:
  GatedTool(tools::model::Spec spec, std::shared_ptr<SpecGate> gate)
      : spec_(std::move(spec)), gate_(std::move(gate)) {}
  const tools::model::Spec& spec() const override {
    gate_->pass();
    return spec_;
  }
  tools::model::Execution execute(const Json&, tools::model::ToolContext&,
                                  tools::model::Progress&) const override {
    return Json();
  }

 private:
  const tools::model::Spec spec_;
  const std::shared_ptr<SpecGate> gate_;
};

/// One whose spec is too large to be written between two requests.
inline tools::model::RegisteredToolPtr large_gated_tool(std::shared_ptr<SpecGate> gate) {
  tools::model::Spec spec{.name = "large",
                          .ns = "gated",
                          .description = std::string(64 * 1024, 'x'),
                          .input_schema = {{"type", "object"}}};
  spec.pool = "native";
  return *tools::model::register_tool(
      std::make_shared<const GatedTool>(std::move(spec), std::move(gate)));
}

}  // namespace toolway::test
