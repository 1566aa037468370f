#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bus/bus.h"
#include "bus/key_value.h"

namespace toolway::bus {

/// A bucket, followed. Changes arrive as they are stored. What may have been missed (before the
/// start, while disconnected, a lost message) is found by reading the bucket: at the start, after a
/// reconnect, and whenever `look` sees that the bucket has changed. While the bus is away, what was
/// known last applies. A fleet set up before the bucket existed has an empty one. Thread-safe.
class BucketMirror {
 public:
  struct Bucket {
    std::string_view name;    ///< of static storage, as all names of proto/subjects.h
    std::string_view stream;  ///< likewise
  };
  /// Whether these entries are the whole bucket, which replaces what was known, or a change of it.
  enum class Extent { kAll, kChange };
  /// Takes entries; of several with one key the last counts. Called on a thread of the bus, one
  /// call at a time and in the order of the writes, under the mirror's lock: be quick, and do not
  /// call the mirror.
  using Take = std::function<void(const std::vector<Entry>&, Extent)>;

  /// `on_change` is called after `take`, on a thread of the bus, without a lock; must not block.
  /// Neither is called after the destructor has begun and its caller has waited for the calls in
  /// progress. `bus` must outlive this.
  BucketMirror(Bus& bus, Bucket bucket, Take take, std::function<void()> on_change = {});
  ~BucketMirror();
  BucketMirror(const BucketMirror&) = delete;
  BucketMirror& operator=(const BucketMirror&) = delete;

  /// Asks whether the bucket has changed unnoticed, and reads it if so. Returns at once. Every
  /// second.
  void look();
  /// Whether the bucket has been read once.
  bool known() const;

 private:
  struct State;
  const std::shared_ptr<State> state_;
  std::unique_ptr<Subscription> on_connection_;
};

}  // namespace toolway::bus
