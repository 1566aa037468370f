#pragma once

#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "proto/toolway/v1/call.pb.h"

namespace toolway::workers::call {

/// The tool of one call from its start to its return, and how it is stopped: asked once, then given
/// a grace; after that its thread is left alone. Pure; not thread-safe.
class ToolStop {
 public:
  /// Why it was asked to stop.
  enum class Why : std::uint8_t { kNo, kCancelled, kLimit, kDrain };

  /// `grace`: how long a tool asked to stop may still take to return.
  explicit ToolStop(std::chrono::milliseconds grace) : grace_(grace) {}

  void started() { running_ = true; }
  /// `forced`: its executor had to end what ran it.
  void returned(bool forced) {
    running_ = false;
    forced_ = forced;
  }
  bool running() const { return running_; }
  Why why() const { return why_; }
  /// How it stopped, as its completion says it.
  v1::Stop how() const;

  /// True: it must be asked now. False: it does not run, or was asked before, and the first
  /// reason counts.
  bool ask(Why why, MonotonicTime now);
  /// Its thread no longer counts. False: it runs nothing of it, or no longer counted before.
  bool abandon_thread();
  /// As `abandon_thread`, before its grace has passed: then it has a grace from now.
  bool leave_thread(MonotonicTime now);
  bool thread_abandoned() const { return thread_abandoned_; }

  /// When the grace passes; max: never.
  MonotonicTime grace_until() const { return grace_until_; }
  /// The grace has passed. True: it still runs, and is counted as hanging from now on.
  bool grace_passed();
  bool hanging() const { return hanging_; }
  /// Nothing remains to be waited for.
  bool settled() const { return !running_ || hanging_; }

 private:
  const std::chrono::milliseconds grace_;
  Why why_ = Why::kNo;
  bool running_ = false;
  bool forced_ = false;
  bool thread_abandoned_ = false;
  bool hanging_ = false;
  MonotonicTime grace_until_ = MonotonicTime::max();
};

}  // namespace toolway::workers::call
