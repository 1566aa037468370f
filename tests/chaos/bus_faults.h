#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "bus/bus.h"
#include "tests/chaos/randomness.h"

namespace toolway::chaos {

/// The deepest queues ever seen.
struct Deepest {
  std::uint64_t samples = 0;
  std::uint64_t pending = 0;      ///< of one durable of a pool
  std::uint64_t ack_pending = 0;  ///< likewise
};

/// What can be done to a stack through NATS itself, over a connection of the harness's own.
class BusFaults {
 public:
  static Result<std::unique_ptr<BusFaults>> connect(const std::string& url);

  /// Says again, to some deliveries seen lately, what was said to them or its opposite: acks that
  /// are late, doubled or stale. Returns how many.
  std::size_t repeat_settlements(Randomness& random, std::size_t count);
  /// Deletes an existing durable, of CALLS or EVENTS; `migrate` makes it again. Returns its name;
  /// empty: none was.
  std::string delete_durable(Randomness& random);
  /// Gives a stream another size. Errors: as the server says.
  Result<void> resize(const std::string& stream, std::int64_t max_bytes);
  /// How many messages of a stream its collector has not acknowledged; nothing while NATS does not
  /// answer.
  std::optional<std::uint64_t> unrecorded(const std::string& stream);
  /// Asks each pool's durables how deep they are.
  void sample();
  const Deepest& deepest() const { return deepest_; }

 private:
  /// What a client said to a delivery.
  struct Settled {
    std::string subject;
    std::string word;
  };

  explicit BusFaults(std::unique_ptr<bus::Bus> bus) : bus_(std::move(bus)) {}
  Result<void> watch();
  /// A request of the JetStream API. Errors: as the bus, or kInternal with the server's words.
  Result<OrderedJson> api(const std::string& what, const std::string& body = {});
  std::vector<std::string> durables(const std::string& stream);

  std::unique_ptr<bus::Bus> bus_;
  std::mutex mutex_;  // over seen_
  std::vector<Settled> seen_;
  std::size_t next_ = 0;
  Deepest deepest_;
  std::unique_ptr<bus::Subscription> watching_;  // last: its handler uses the rest
};

}  // namespace toolway::chaos
