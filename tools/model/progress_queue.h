#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/mutex.h"
#include "tools/model/tool.h"

namespace toolway::tools::model {

/// The bounded queue between a running tool and the thread that publishes its reports.
/// The tool's threads call `report`, which waits while `capacity` reports wait;
/// one consumer takes them. Reports leave in the order they came. Owned by the
/// attempt; thread-safe.
class ProgressQueue final : public Progress {
 public:
  static constexpr std::size_t kCapacity = 100;

  /// `cancelled` frees a tool that waits in `report`. `wake` is called, on the
  /// tool's thread and under no lock, when there is something to take where
  /// there was nothing before; it must not throw, and may still run while
  /// `close` returns: let it own what it touches.
  explicit ProgressQueue(std::stop_token cancelled, std::function<void()> wake = {},
                         std::size_t capacity = kCapacity);

  /// Waits for room. Once cancelled or closed it returns at once, and drops
  /// what does not fit (cancelled) or everything (closed).
  void report(ProgressReport report) override;

  /// The oldest report, if there is one. Never blocks.
  std::optional<ProgressReport> try_pop();
  /// All that wait, oldest first. Never blocks.
  std::vector<ProgressReport> take();
  /// Takes no more reports and frees a tool that waits; what is there can still be taken.
  void close();

  std::size_t size() const;

 private:
  const std::stop_token cancelled_;
  const std::function<void()> wake_;
  const std::size_t capacity_;

  mutable Mutex mutex_;
  StoppableCondVar room_;
  std::deque<ProgressReport> reports_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace toolway::tools::model
