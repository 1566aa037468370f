#pragma once

#include <functional>
#include <memory>

#include "bus/bucket_mirror.h"
#include "proto/switches.h"

namespace toolway::bus {

/// What operators have switched off: the bucket `switches`, followed (bucket_mirror.h).
/// Thread-safe.
class SwitchBoard {
 public:
  /// `on_change`: as of BucketMirror. `bus` must outlive this.
  explicit SwitchBoard(Bus& bus, std::function<void()> on_change = {});

  /// As of BucketMirror: every second.
  void look() { mirror_.look(); }
  /// Whether the bucket has been read once: before that, it is unknown what may run.
  bool known() const { return mirror_.known(); }
  /// Never null.
  std::shared_ptr<const proto::Switches> now() const;

 private:
  struct Current;
  const std::shared_ptr<Current> current_;
  BucketMirror mirror_;
};

}  // namespace toolway::bus
