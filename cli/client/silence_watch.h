#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace toolway::cli::client {

/// Ends one request to a server that takes connections and never answers, long before the request's
/// own time has passed: a program that speaks something else, or a gateway that hangs. One that is
/// only slow with this request answers the question whether it is alive, and is waited for.
/// Lives as long as the request; the question is asked on a thread of its own.
class SilenceWatch {
 public:
  /// `alive` is asked once, after `patience` without an answer; 0: never. `outer` stops the request
  /// as well.
  SilenceWatch(std::stop_token outer, std::chrono::milliseconds patience,
               std::function<bool()> alive);
  ~SilenceWatch();
  SilenceWatch(const SilenceWatch&) = delete;
  SilenceWatch& operator=(const SilenceWatch&) = delete;

  /// What ends the request.
  std::stop_token stop() const { return end_.get_token(); }
  /// The answer has begun. Thread-safe.
  void answered();
  /// Whether the watch has ended the request. After the request.
  bool gave_up() const;

 private:
  void watch(std::chrono::milliseconds patience, const std::function<bool()>& alive);

  std::stop_source end_;
  std::stop_callback<std::function<void()>> outer_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool answered_ = false;  // under mutex_
  bool gave_up_ = false;   // under mutex_
  std::thread thread_;     // none without patience
};

}  // namespace toolway::cli::client
