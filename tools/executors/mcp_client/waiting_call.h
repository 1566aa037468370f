#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/utf8.h"
#include "mcp/tool_call.h"

namespace toolway::tools::executors::mcp_client {

/// The server ended, or its connection did.
struct ServerDied {};
/// The server sent something instead of the answer.
struct AnswerLost {
  std::string what;
};
/// The server ended before any of the request was written to it.
struct NotSent {};
/// Why no more will come for a call.
using CallEnd = std::variant<tl::expected<Json, mcp::RpcError>, ServerDied, AnswerLost, NotSent>;

/// Between the thread that reads from a server and the one that waits for an answer. Reports never
/// make the reader wait: of too many, the newest replaces those before it. Thread-safe.
class WaitingCall {
 public:
  static constexpr std::size_t kMaxReports = 64;
  static constexpr std::size_t kMaxAsked = 100;
  static constexpr std::size_t kMaxMessage =
      16 * 1024;  ///< of a report; the rest of it is left out

  void report(mcp::ProgressNotification report) {
    const MutexLock lock(mutex_);
    // It must grow (every revision, "Progress Flow").
    if (end_ || (highest_ && report.progress <= *highest_)) return;
    highest_ = report.progress;
    if (report.message.size() > kMaxMessage) {
      report.message.resize(kMaxMessage);
      while (!valid_utf8(report.message)) report.message.pop_back();
      report.message.shrink_to_fit();
    }
    if (reports_.size() == kMaxReports) reports_.pop_back();
    reports_.push_back(std::move(report));
    changed_.notify_one();
  }

  /// What the server asks; or, by its id, no longer asks. False: too much of that waits already.
  using Question = std::variant<mcp::Request, mcp::RequestId>;
  bool ask(Question asked) {
    const MutexLock lock(mutex_);
    if (asked_.size() >= kMaxAsked) return false;
    asked_.push_back(std::move(asked));
    changed_.notify_one();
    return true;
  }

  /// The first end counts.
  void end(CallEnd end) {
    const MutexLock lock(mutex_);
    if (!end_) end_ = std::move(end);
    changed_.notify_one();
  }

  struct Step {
    std::vector<mcp::ProgressNotification> reports;
    std::vector<Question> asked;
    std::optional<CallEnd> end;  ///< nothing, and nothing else: stopped, or it is `until`
  };
  Step next(const std::stop_token& stop, MonotonicTime until) {
    MutexLock lock(mutex_);
    const auto something = [this]() REQUIRES(mutex_) {
      return end_.has_value() || !reports_.empty() || !asked_.empty();
    };
    if (until == MonotonicTime::max())
      changed_.wait(lock, stop, something);
    else
      changed_.wait_until(lock, stop, until, something);
    Step step{{reports_.begin(), reports_.end()}, std::exchange(asked_, {}), {}};
    reports_.clear();
    if (end_) step.end = std::move(end_);
    return step;
  }

 private:
  Mutex mutex_;
  StoppableCondVar changed_;
  std::deque<mcp::ProgressNotification> reports_ GUARDED_BY(mutex_);
  std::vector<Question> asked_ GUARDED_BY(mutex_);
  std::optional<double> highest_ GUARDED_BY(mutex_);
  std::optional<CallEnd> end_ GUARDED_BY(mutex_);
};

}  // namespace toolway::tools::executors::mcp_client
