#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "bus/messenger.h"
#include "gateway/loop/io_post.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::gateway::admission {

/// A worker as it last announced itself.
struct HeardWorker {
  v1::WorkerAnnouncement said;
  MonotonicTime at{};
  WallTime wall{};
};

using HeardWorkerPtr = std::shared_ptr<const HeardWorker>;

/// Which workers there are, from what they announce of themselves every two seconds. Pure.
class Roster {
 public:
  /// A worker that was silent for this long counts as gone.
  static constexpr std::chrono::seconds kMaxSilence{10};
  static constexpr std::size_t kMaxWorkers = 10'000;

  /// Ignores announcements that are not well formed.
  void heard(v1::WorkerAnnouncement said, MonotonicTime at, WallTime wall);
  /// Those present, of one pool or of all, by id; forgets the ones that are gone.
  std::vector<HeardWorkerPtr> list(MonotonicTime now, std::optional<std::string_view> pool = {});

 private:
  std::map<std::string, HeardWorkerPtr, std::less<>> by_id_;
};

/// Keeps those of a pool in their order. On any thread.
void sort_by_pool(std::vector<HeardWorkerPtr>& workers);

/// The roster of a gateway, which hears every worker. On the io_context's thread.
class WorkerRoster {
 public:
  WorkerRoster(bus::Messenger& bus, std::shared_ptr<loop::IoPost> io_post, const Clock& clock)
      : bus_(bus), io_post_(std::move(io_post)), clock_(clock) {}
  /// Listens, unless it already does. Without the bus, call it again.
  void listen();
  std::vector<HeardWorkerPtr> list(std::optional<std::string_view> pool = {}) {
    return roster_.list(clock_.monotonic(), pool);
  }

 private:
  void heard(v1::WorkerAnnouncement said) {
    roster_.heard(std::move(said), clock_.monotonic(), clock_.wall());
  }

  bus::Messenger& bus_;
  std::shared_ptr<loop::IoPost> io_post_;
  const Clock& clock_;
  Roster roster_;
  std::unique_ptr<bus::Subscription> subscription_;
};

}  // namespace toolway::gateway::admission
