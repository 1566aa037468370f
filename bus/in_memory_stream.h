#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "bus/bus.h"
#include "bus/topology.h"

namespace toolway::bus {

/// A durable of an in-memory stream: what it has delivered, and what is due again.
struct InMemoryDurable {
  struct Outstanding {
    std::uint64_t deliveries = 0;
    MonotonicTime expires{};
  };

  DurableConfig config;
  std::vector<std::uint64_t> matching;               ///< sequences, in order
  std::size_t next = 0;                              ///< into `matching`: the next first delivery
  std::map<std::uint64_t, Outstanding> outstanding;  ///< delivered, not settled
  std::set<std::pair<MonotonicTime, std::uint64_t>> due;      ///< to be delivered again, when
  std::map<std::uint64_t, std::uint64_t> earlier_deliveries;  ///< of what is due again

  /// The next sequence to deliver at `now`, taken; 0: none.
  std::uint64_t take(MonotonicTime now, std::chrono::milliseconds ack_wait);
  void settle(std::uint64_t sequence, Settlement settlement, MonotonicTime now,
              std::chrono::milliseconds ack_wait);
  /// Moves what was not settled in time back among the due.
  void expire(MonotonicTime now);
  std::uint64_t ack_floor() const;
  /// Without `waiting`, which its pull clients know.
  ConsumerState state() const;
  /// Whether something could be delivered at `now` if it were asked for.
  bool ready(MonotonicTime now) const;
  std::uint64_t pending() const { return matching.size() - next; }
  /// When something will be due or expire; max() for never.
  MonotonicTime next_change() const;
};

/// The messages of one stream, with what JetStream checks when one is
/// published. No lock of its own.
class InMemoryStream {
 public:
  InMemoryStream(StreamConfig config, WallTime created);

  /// Errors: kWrongLastSequence.
  Result<PubAck> store(const Publication& publication, WallTime now);
  const StoredMessage* last(std::string_view subject) const;
  const StoredMessage* next(std::string_view filter, std::uint64_t sequence) const;
  const StoredMessage& at(std::uint64_t sequence) const { return messages_[sequence - 1]; }
  StreamState state() const;
  /// Adds durables of `config` that are not there yet.
  void update(const StreamConfig& config);

  const StreamConfig& config() const { return config_; }
  std::map<std::string, InMemoryDurable, std::less<>>& durables() { return durables_; }
  std::vector<std::string> durable_names() const;
  const std::map<std::string, InMemoryDurable, std::less<>>& durables() const { return durables_; }

 private:
  StreamConfig config_;
  WallTime created_;
  std::deque<StoredMessage> messages_;  // sequence n at n - 1
  std::unordered_map<std::string, std::uint64_t> last_;
  std::unordered_map<std::string, std::pair<std::uint64_t, WallTime>> ids_;
  std::map<std::string, InMemoryDurable, std::less<>> durables_;
  std::uint64_t bytes_ = 0;
};

}  // namespace toolway::bus
