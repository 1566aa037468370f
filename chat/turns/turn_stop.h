#pragma once

#include <atomic>
#include <functional>
#include <stop_token>

#include "chat/engine/engine_config.h"
#include "tools/model/tool.h"

namespace toolway::chat::turns {

/// What ends a turn before its time: its call, or a later message. Thread-safe; its engine's turn
/// ends before it.
class TurnStop {
 public:
  /// `context`: of the turn's call; outlives it.
  explicit TurnStop(const tools::model::ToolContext& context)
      : of_call_(context.cancellation(),
                 [this, &context] { (context.runs_again() ? leave_ : end_).request_stop(); }) {}

  /// A later message takes the turn's place, or another attempt has it.
  void interrupt() {
    interrupted_ = true;
    end_.request_stop();
  }
  bool interrupted() const { return interrupted_; }
  engine::Stops stops() const { return {.end = end_.get_token(), .leave = leave_.get_token()}; }

 private:
  std::atomic<bool> interrupted_ = false;
  std::stop_source end_;
  std::stop_source leave_;
  const std::stop_callback<std::function<void()>> of_call_;  // the last one: it uses the others
};

}  // namespace toolway::chat::turns
