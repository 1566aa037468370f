#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

/// JetStream behind a small port. `JetStreamBus` is the real one, `InMemoryBus`
/// its twin for tests; one contract suite (tests/contract) holds both to the
/// contract stated here.
namespace toolway::bus {

/// A message to be stored in a stream.
struct Publication {
  std::string subject;
  std::string payload;
  /// Nats-Msg-Id: within two minutes a second publication of this id is
  /// acknowledged with the first one's sequence and stored once. Empty: none.
  std::string message_id{};
  /// The sequence that the subject's last message must have; 0: it must have none.
  std::optional<std::uint64_t> expected_last{};
};

struct PubAck {
  std::uint64_t sequence = 0;
  bool duplicate = false;
};

/// A message as it is stored.
struct StoredMessage {
  std::string subject;
  std::string payload;
  std::uint64_t sequence = 0;
  WallTime stored_at{};
};

/// A message as the server republishes it when it has stored it.
struct LiveMessage {
  std::string_view subject;
  std::string_view payload;
  std::uint64_t sequence = 0;  ///< in its stream
};

/// Which replica may answer a read: any (fast, may lag; for information), or the
/// leader (what a decision after a refusal needs).
enum class ReadFrom { kAnyReplica, kLeader };

struct StreamState {
  /// Milliseconds since the epoch at which the stream was created: sequences are comparable only
  /// within one incarnation, and a later one is larger. Changes of its configuration and restarts
  /// of the server keep it.
  std::int64_t incarnation = 0;
  std::uint64_t first_sequence = 0;
  std::uint64_t last_sequence = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::int64_t max_bytes = -1;           ///< -1: no limit
  std::chrono::milliseconds max_age{0};  ///< 0: no limit
};

struct ConsumerState {
  /// All up to here is acknowledged; for the collector: recorded in Postgres.
  std::uint64_t ack_floor = 0;
  std::uint64_t delivered = 0;    ///< all matching messages up to here were delivered at least once
  std::uint64_t pending = 0;      ///< stored, not delivered yet
  std::uint64_t ack_pending = 0;  ///< delivered, not acknowledged yet
  std::uint64_t waiting = 0;      ///< pull requests that wait for a message
};

enum class SettleKind {
  kAck,         ///< done: never deliver again
  kNak,         ///< deliver again after the delay
  kInProgress,  ///< still working on it: the ack_wait starts again
  kTerm,        ///< never deliver again, although it was not processed
};
struct Settlement {
  SettleKind kind = SettleKind::kAck;
  std::chrono::milliseconds delay{0};  ///< of a kNak
};

class Bus;

/// One message pulled from a durable. Settle it with ack, nak or term; until
/// then it comes again after ack_wait. Move-only; safe to settle from any
/// thread; must not outlive its bus. Acks are not confirmed (they may be lost:
/// the message then comes again).
class Delivery {
 public:
  Delivery(Bus& bus, std::string reply) : bus_(&bus), reply_(std::move(reply)) {}
  Delivery(Delivery&&) = default;
  Delivery& operator=(Delivery&&) = default;

  void ack();
  void nak(std::chrono::milliseconds delay);
  void in_progress();
  void term();
  /// As `how` says. Does nothing to what was moved from.
  void settle(Settlement how);

  std::string subject;
  std::string payload;
  std::uint64_t sequence = 0;        ///< in the stream
  std::uint64_t delivery_count = 1;  ///< 1 for the first; do not use it as the attempt number
  std::uint64_t pending = 0;         ///< matching messages after this one
  WallTime stored_at{};

 private:
  Bus* bus_;
  std::string reply_;
};

/// A question, or a message that needs no answer, on core NATS. Move-only; answer it from any
/// thread, at most once; must not outlive its bus.
class Request {
 public:
  Request(Bus& bus, std::string reply) : bus_(&bus), reply_(std::move(reply)) {}
  Request(Request&&) = default;
  Request& operator=(Request&&) = default;

  /// May be lost, like any answer. Does nothing when none is wanted.
  void answer(std::string text);

  std::string subject;
  std::string payload;

 private:
  Bus* bus_;
  std::string reply_;
};

/// What a pull client asks from: an existing durable of a stream.
struct Durable {
  std::string stream;
  std::string name;
};

using PublishHandler = std::function<void(Result<PubAck>)>;
using MessageHandler = std::function<void(Result<StoredMessage>)>;
using DeliveryHandler = std::function<void(Delivery)>;
using RequestHandler = std::function<void(Request)>;
using AnswerHandler = std::function<void(Result<std::string>)>;
using LiveHandler = std::function<void(const LiveMessage&)>;

/// A pull client. Its destructor stops it, gives back what the server has sent but no handler has
/// seen, and returns once no handler runs: within 2 s, when the bus does not answer.
class PullConsumer {
 public:
  virtual ~PullConsumer() = default;
  /// Allows `count` more deliveries. What is asked of the server and not yet
  /// delivered never exceeds what was allowed and not yet used. Thread-safe.
  virtual void allow(std::size_t count) = 0;
  /// Takes back at most `count` of what was allowed and not used, as far as possible now: those
  /// are returned, and are not delivered. What the server was asked for can be taken back when that
  /// request ends (within 5 s): ask again. Thread-safe.
  virtual std::size_t withdraw(std::size_t count) = 0;
  /// Asks for no more. Deliveries that still come are given back (nak).
  virtual void stop() = 0;
};

/// Ends the subscription when destroyed; no handler runs after that.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

enum class Connection {
  kConnected,
  kDisconnected,
  kGap,  ///< an event, never a state: connected, but live messages were dropped because they were
         ///< read too slowly. Not by the bus, whose server then breaks the connection.
};

/// One pool of workers, as provisioning needs it.
struct PoolLayout {
  std::string name;
  unsigned partitions = 1;
};

/// What `provision` makes sure of.
struct Layout {
  std::vector<PoolLayout> pools;
  unsigned replicas = 1;
  std::int64_t max_bytes = 1LL << 30;  ///< of each of CALLS, EVENTS and BLOBS
  std::chrono::hours max_age{24};      ///< likewise
};

/// Every handler runs on the one thread of the bus and must not block; what it throws is logged and
/// dropped (README.md). One given to a call runs once, also at the end of the bus (kShuttingDown).
/// All functions are thread-safe and may be called from a handler.
class Bus {
 public:
  virtual ~Bus() = default;

  /// Stores a message and reports its PubAck. Never blocks. Errors:
  /// kBusUnavailable (certainly not sent), kTimeout (sent, no answer within
  /// publish_timeout: may be stored), kWrongLastSequence (certainly not stored
  /// by this publication), kOverloaded (max_in_flight publications unanswered;
  /// not sent), kInternal (refused by the server: the message says why).
  virtual void publish(Publication publication, PublishHandler handler) = 0;

  /// The last message of a subject (no wildcards). Errors: kNotFound,
  /// kBusUnavailable, kTimeout.
  virtual void last_message(std::string_view stream, std::string subject, ReadFrom from,
                            MessageHandler handler) = 0;

  /// The first message at or after `sequence` whose subject matches `filter`
  /// (wildcards allowed). From far back this scans the stream: read old events
  /// from Postgres. Errors as above.
  virtual void next_message(std::string_view stream, std::string filter, std::uint64_t sequence,
                            ReadFrom from, MessageHandler handler) = 0;

  virtual void stream_state(std::string_view stream,
                            std::function<void(Result<StreamState>)> handler) = 0;
  virtual void consumer_state(Durable durable,
                              std::function<void(Result<ConsumerState>)> handler) = 0;

  /// Pulls from a durable that exists (or will: it asks again until it does).
  virtual std::unique_ptr<PullConsumer> pull(Durable durable, DeliveryHandler handler) = 0;

  /// Follows what streams republish on `filter` (`live.<shard>.>`,
  /// `bucket.sessions.>`). At most once: gaps are the reader's to fill. What is
  /// published after this returned is delivered while the connection lasts.
  virtual Result<std::unique_ptr<Subscription>> follow(std::string filter, LiveHandler handler) = 0;

  /// The names of a stream's durables, sorted. Errors: kNotFound, kBusUnavailable, kTimeout.
  virtual void durables(std::string_view stream,
                        std::function<void(Result<std::vector<std::string>>)> handler) = 0;

  /// Sends a message to those that serve `subject` now. Stored nowhere; received at most once.
  virtual void tell(std::string subject, std::string payload) = 0;
  /// Asks, and hands out the first answer. Errors: kNotFound (no one serves the subject),
  /// kTimeout (no answer within kAnswerWithin), kBusUnavailable.
  virtual void request(std::string subject, std::string payload, AnswerHandler handler) = 0;
  static constexpr std::chrono::milliseconds kAnswerWithin{400};
  /// Receives what is told and asked on `filter`. Of those with the same `group` one receives it;
  /// without a group all do.
  virtual Result<std::unique_ptr<Subscription>> serve(std::string filter, std::string group,
                                                      RequestHandler handler) = 0;

  /// Settles a delivery; used by `Delivery`.
  virtual void settle(const std::string& reply, Settlement settlement) = 0;

  /// Runs `task`, perhaps later, on the bus's thread: what it sends leaves in one write.
  virtual void in_one_turn(std::function<void()> task) { task(); }

  /// Makes streams, buckets and durables what `layout` says. Idempotent; may
  /// block for seconds. Errors: kBusUnavailable, kInternal with the server's words.
  virtual Result<void> provision(const Layout& layout) = 0;

  virtual Connection connection() const = 0;
  /// Calls `handler` at each change, after the bus itself has handled it.
  /// After kConnected and kGap live messages may have been missed.
  virtual std::unique_ptr<Subscription> on_connection(std::function<void(Connection)> handler) = 0;
};

}  // namespace toolway::bus
