#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "proto/subjects.h"

namespace toolway::workers::pool {

/// A worker's slots, and how they are shared among the queues (durables) of its pool: how much to
/// ask each for, from what is free, what is asked for already, and what is known to wait.
/// - A queue that is thought empty keeps a few asked for, so that its next call finds a slot; all
/// that
///   other queues have waiting gets the rest.
/// - Of queues that have calls waiting, those of lane `normal` get four slots for one of lane
/// `bulk`;
///   a lane that wants fewer leaves them to the other.
/// - What is asked for and held never exceeds the slots, unless there are hardly more slots than
///   queues: then an empty queue may be asked for one beyond them while a slot is free, and
///   what comes too late is given back.
/// Pure; guarded by its worker's lock.
class QueueShares {
 public:
  explicit QueueShares(std::size_t slots) : slots_(slots) {}

  /// How many more calls to ask queue number `queue` for.
  struct Ask {
    std::size_t queue;
    std::size_t count;
  };

  /// Adds a queue; returns its number. A known one keeps its number.
  std::size_t add(const std::string& durable, proto::Lane lane);
  /// Queue `queue` is gone, with all that it was asked for.
  void remove(std::size_t queue);

  /// A call came from `queue`, with `pending` after it. Returns false when there is no room: give
  /// the call back.
  bool take(std::size_t queue, std::uint64_t pending);
  /// A held call has ended.
  void release() { --held_; }

  /// What to ask for now; it counts as asked for.
  std::vector<Ask> ask();

  /// The part of what a queue was asked for that it should not keep, since it delivers nothing: to
  /// be taken back. Call about every second: a queue that delivered nothing since the last time is
  /// thought empty.
  std::vector<Ask> too_many();
  /// Everything asked for: when nothing more should come.
  std::vector<Ask> all_asked() const;
  /// This much was taken back.
  void taken_back(Ask ask);

  std::size_t held() const { return held_; }
  std::size_t asked() const;

 private:
  struct Queue {
    std::string durable;
    proto::Lane lane = proto::Lane::kNormal;
    bool there = true;
    bool heard = false;  ///< since the last `too_many`
    std::size_t asked = 0;
    std::uint64_t pending = 0;
    std::size_t wants() const { return there && pending > asked ? pending - asked : 0; }
  };

  std::size_t queues() const;
  /// What an empty queue keeps asked for.
  std::size_t probe(const Queue& queue) const;
  /// The queue whose turn it is to get a slot; null: none wants one.
  Queue* next_turn();
  Queue* neediest(proto::Lane lane);

  const std::size_t slots_;
  std::size_t held_ = 0;
  std::size_t turn_ = 0;
  std::vector<Queue> queues_;
};

}  // namespace toolway::workers::pool
