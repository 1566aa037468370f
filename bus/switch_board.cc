#include "bus/switch_board.h"

#include <utility>

#include "base/mutex.h"
#include "proto/subjects.h"

namespace toolway::bus {

/// Shared with the mirror, whose last answer may come after the board is gone.
struct SwitchBoard::Current {
  void take(const std::vector<Entry>& entries, BucketMirror::Extent extent) {
    const MutexLock lock(mutex);
    auto made = extent == BucketMirror::Extent::kAll ? std::make_shared<proto::Switches>()
                                                     : std::make_shared<proto::Switches>(*switches);
    for (const auto& entry : entries) {
      if (proto::valid_switch_key(entry.key)) made->take(entry.key, entry.value);
    }
    switches = std::move(made);
  }

  Mutex mutex;
  std::shared_ptr<const proto::Switches> switches GUARDED_BY(mutex) =
      std::make_shared<const proto::Switches>();
};

SwitchBoard::SwitchBoard(Bus& bus, std::function<void()> on_change)
    : current_(std::make_shared<Current>()),
      mirror_(
          bus, {proto::kSwitchesBucket, proto::kSwitchesStream},
          [current = current_](const auto& entries, auto extent) {
            current->take(entries, extent);
          },
          std::move(on_change)) {}

std::shared_ptr<const proto::Switches> SwitchBoard::now() const {
  const MutexLock lock(current_->mutex);
  return current_->switches;
}

}  // namespace toolway::bus
