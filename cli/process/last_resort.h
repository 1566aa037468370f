#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace toolway::cli {

/// Ends the process when its own end takes longer than it may: what hangs by then (a name server,
/// a library) must not keep a SIGTERM from being obeyed. Make it before everything whose end it is
/// to bound.
class LastResort {
 public:
  LastResort() = default;
  ~LastResort();
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;

  /// From now on: when this object is still there after `patience`, the process ends with status 1,
  /// and its log says so.
  void arm(std::chrono::seconds patience);

 private:
  std::mutex mutex_;
  std::condition_variable ended_changed_;
  bool ended_ = false;  // under mutex_
  std::thread thread_;
};

}  // namespace toolway::cli
