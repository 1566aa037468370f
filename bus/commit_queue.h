#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "bus/bus.h"

namespace toolway::bus {

/// A publication, and who waits for its answer.
struct PendingPublication {
  Publication publication;
  PublishHandler handler;
};

/// Decides which publications for one stream go to the server singly, and which as one atomic
/// batch: while enough are unanswered, the others gather, and go together once that pays. Knows
/// neither socket nor clock. Not thread-safe.
class CommitQueue {
 public:
  struct Limits {
    /// Fewer go singly: nats-server prepares a batch in files of its own, which costs as much as
    /// syncing about a dozen messages (docs/operations/durability.md).
    std::size_t least = 16;
    std::size_t singles = 4;       ///< unanswered at once; the others gather
    std::size_t most = 500;        ///< in one batch; nats-server takes 1,000
    std::size_t bytes = 1U << 20;  ///< of the payloads of one batch
  };

  CommitQueue() = default;
  explicit CommitQueue(Limits limits) : limits_(limits) {}

  /// Whether the stream takes batches. While it does not, everything goes singly and nothing waits.
  void allow_batches(bool allowed) { allowed_ = allowed; }

  void add(PendingPublication pending) { waiting_.push_back(std::move(pending)); }
  /// What can be sent now: nothing, one publication, or a batch. Call it until it gives nothing.
  std::vector<PendingPublication> next();
  /// A single publication was answered.
  void single_answered() { --singles_; }
  /// The batch was answered.
  void batch_answered() { batch_ = 0; }
  /// Nothing of the batch is stored: each of it goes singly, before what waits. Needs no memory.
  void batch_refused(std::vector<PendingPublication> batch);

  /// Those that wait and those that are unanswered.
  std::size_t open() const { return again_.size() + waiting_.size() + singles_ + batch_; }
  /// Takes out what was not sent.
  std::vector<PendingPublication> take_unsent();

 private:
  /// How many of those that wait fit into one batch.
  std::size_t fitting() const;

  Limits limits_{};
  bool allowed_ = false;
  std::size_t singles_ = 0;                // unanswered
  std::size_t batch_ = 0;                  // publications of the one that is unanswered
  std::vector<PendingPublication> again_;  // of a refused batch; the last one goes first
  std::deque<PendingPublication> waiting_;
};

}  // namespace toolway::bus
