#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bus/bus.h"

namespace toolway::bus {

/// An entry of a bucket.
struct Entry {
  std::string key;
  std::string value;
  std::uint64_t revision = 0;  ///< the sequence of its last write
};

/// About what an entry takes in its stream: a subject, and what nats-server adds to a message.
constexpr std::size_t entry_bytes(std::size_t value_bytes) { return value_bytes + 110; }

/// A JetStream key-value bucket over any `Bus`: compare-and-set by revision,
/// and a watch that sees a write once it is stored. Thread-safe; must not
/// outlive its bus. Keys are ours: words of `[A-Za-z0-9_-]+`, with `.` between them.
class KeyValue {
 public:
  KeyValue(Bus& bus, std::string bucket);

  /// Errors: kNotFound (as the leader says, or the only server that has the bucket),
  /// kBusUnavailable, kTimeout.
  void get(const std::string& key, std::function<void(Result<Entry>)> handler);

  /// Writes if the entry still has `revision` (0: if there is none), and
  /// reports the new revision. Errors: kWrongLastSequence, and as `Bus::publish`.
  void put(const std::string& key, std::string value, std::uint64_t revision,
           std::function<void(Result<std::uint64_t>)> handler);

  /// All entries, as the leader has them, in the order of their last writes: one question for each,
  /// of a large bucket 16 at once. Errors: kBusUnavailable, kTimeout.
  void list(std::function<void(Result<std::vector<Entry>>)> handler);

  /// Every write from now on, while connected; after a reconnect, read again.
  Result<std::unique_ptr<Subscription>> watch(std::function<void(const Entry&)> handler);

 private:
  struct Misses;
  Bus& bus_;
  std::string bucket_;
  std::string stream_;
  std::shared_ptr<Misses> misses_;
};

}  // namespace toolway::bus
