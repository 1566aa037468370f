#pragma once

#include <chrono>
#include <optional>
#include <thread>

#include "base/mutex.h"

namespace toolway::cli::process {

/// Ends the process when its shutdown takes longer than it may: what hangs by then (a name server,
/// a library) must not keep a SIGTERM from being obeyed. Make it before everything whose end it
/// bounds. Its thread starts with it: during shutdown the system may refuse one.
class LastResort {
 public:
  LastResort() : thread_([this] { run(); }) {}
  ~LastResort();
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;

  /// From now on: when this object is still there after `patience`, the process ends with status 1,
  /// and its log says so.
  void arm(std::chrono::seconds patience);

 private:
  void run();

  Mutex mutex_;
  CondVar changed_;
  std::optional<std::chrono::seconds> patience_ GUARDED_BY(mutex_);
  bool ended_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace toolway::cli::process
