#pragma once

#include <algorithm>
#include <cstddef>

namespace toolway::workers {

/// How many calls a worker holds and has asked for: together never more than
/// its slots. Pure; guarded by its worker's lock.
class Slots {
 public:
  explicit Slots(std::size_t count) : count_(count) {}

  /// A call came. False: there is no room, give it back.
  bool take() {
    if (asked_ > 0) --asked_;
    if (held_ >= count_) return false;
    ++held_;
    return true;
  }
  /// A held call is done with.
  void release() { --held_; }

  /// How many more to ask for now. Not each slot as it frees, which would be a
  /// request per call, but some, unless few are asked for.
  std::size_t ask() {
    const std::size_t free = count_ - std::min(count_, held_ + asked_);
    if (free == 0 || (free < count_ / 8 && asked_ > count_ / 4)) return 0;
    asked_ += free;
    return free;
  }

  std::size_t held() const { return held_; }
  std::size_t asked() const { return asked_; }

 private:
  const std::size_t count_;
  std::size_t held_ = 0;
  std::size_t asked_ = 0;
};

}  // namespace toolway::workers
