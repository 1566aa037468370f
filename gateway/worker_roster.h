#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "gateway/loop_inbox.h"
#include "bus/bus.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::gateway {

/// A worker as it announced itself last.
struct HeardWorker {
  v1::WorkerAnnouncement said;
  MonotonicTime at{};
  WallTime wall{};
};

/// Who is there, from what workers announce of themselves every two seconds: pure.
class Roster {
 public:
  /// One that said nothing for so long is not there.
  static constexpr std::chrono::seconds kSilence{10};
  static constexpr std::size_t kMost = 10'000;

  /// Announcements that are not well formed are left out.
  void heard(v1::WorkerAnnouncement said, MonotonicTime at, WallTime wall);
  /// Those that are there, by pool and id; forgets the others.
  std::vector<HeardWorker> list(MonotonicTime now);

 private:
  std::map<std::string, HeardWorker, std::less<>> by_id_;
};

/// The roster of a gateway, which hears every worker. On the io_context's thread.
class WorkerRoster {
 public:
  WorkerRoster(bus::Bus& bus, std::shared_ptr<LoopInbox> inbox, const Clock& clock)
      : bus_(bus), inbox_(std::move(inbox)), clock_(clock) {}
  /// Listens, unless it does already: without the bus, call it again.
  void listen();
  void heard(v1::WorkerAnnouncement said) { roster_.heard(std::move(said), clock_.monotonic(), clock_.wall()); }
  std::vector<HeardWorker> list() { return roster_.list(clock_.monotonic()); }

 private:
  bus::Bus& bus_;
  std::shared_ptr<LoopInbox> inbox_;
  const Clock& clock_;
  Roster roster_;
  std::unique_ptr<bus::Subscription> subscription_;
};

}  // namespace toolway::gateway
