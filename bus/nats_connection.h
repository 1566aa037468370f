#pragma once

#include <nats/nats.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "bus/bus.h"
#include "bus/handler_gate.h"
#include "bus/jetstream_bus.h"
#include "bus/loop.h"
#include "bus/nats_message.h"

namespace toolway::bus {

/// A header of a message to be published.
struct NatsHeader {
  const char* name;
  std::string value;
};

using NatsHandler = std::function<void(NatsMessage)>;

/// A subscription that can end without losing what the server has already sent.
class DrainableSubscription : public Subscription {
 public:
  /// Tells the server to send no more, and returns when every message that it had sent has been
  /// handled, or after `limit`. With the connection down only what had arrived is handled. On the
  /// loop's thread, which would have to handle them, it does not wait. Thread-safe; once.
  virtual void drain(std::chrono::milliseconds limit) = 0;
};

/// One nats.c connection that a loop drives: publishes, subscribes safely, reports losses. All
/// handlers run on the loop's thread. What one turn of the loop publishes leaves in one write.
class NatsConnection final : private Loop::Source {
 public:
  /// Tries until it is connected or options.connect_timeout has passed. `loop` must live longer.
  static Result<std::unique_ptr<NatsConnection>> connect(Loop& loop,
                                                         const JetStreamOptions& options);
  /// Where the loop takes its turns, or once it takes no more.
  ~NatsConnection() override;
  NatsConnection(const NatsConnection&) = delete;
  NatsConnection& operator=(const NatsConnection&) = delete;

  /// Waits for nothing except a reconnect in progress. Errors: kBusUnavailable (not sent: not
  /// connected, or the server does not read), kPayloadTooLarge.
  Result<void> publish(const std::string& subject, const std::string& reply,
                       std::string_view payload, const std::vector<NatsHeader>& headers);

  /// The subscription is known to the server before anything published afterwards.
  /// Of the subscriptions of one `group` one gets each message; without a group all do.
  Result<std::unique_ptr<DrainableSubscription>> subscribe(const std::string& subject,
                                                           NatsHandler handler,
                                                           const std::string& group = {});

  bool connected() const { return connected_.load(std::memory_order_acquire); }
  std::unique_ptr<Subscription> on_change(std::function<void(Connection)> handler);
  natsConnection* raw() { return connection_; }
  Loop& loop() { return loop_; }
  /// A unique prefix for inboxes, without a trailing dot: `_INBOX.<name>.<random>`, so that
  /// permissions can let a role receive only its own answers.
  std::string new_inbox() const;

 private:
  class LiveSubscription;
  struct Watcher;
  struct Listener;
  using Listeners = std::vector<std::shared_ptr<Listener>>;

  explicit NatsConnection(Loop& loop) : loop_(loop) {}
  natsStatus set_callbacks(natsOptions* options);
  void ready(std::uint32_t events) override;
  void end_turn() override;
  void watch_writable(bool wanted);
  void give_up_sending();
  void receive();
  void receive(Listener& listener);
  void changed(Connection state);
  void look_at_changes();
  void end(Listener& listener);
  void sweep();

  static natsStatus attach(void** self, void* loop, natsConnection* connection, natsSock socket);
  static natsStatus on_read_wanted(void* self, bool wanted);
  static natsStatus on_write_wanted(void* self, bool wanted);
  static natsStatus detach(void* self);
  static void on_disconnected(natsConnection*, void* self);
  static void on_reconnected(natsConnection*, void* self);
  static void on_error(natsConnection*, natsSubscription*, natsStatus error, void* self);
  static void on_closed(natsConnection*, void* closure);

  Loop& loop_;
  natsConnection* connection_ = nullptr;
  std::string inboxes_;  // what all of them begin with
  std::atomic<bool> connected_{false};
  std::atomic<bool> closing_{false};

  // What nats.c wants of the loop, by its calls from any thread.
  std::atomic<natsConnection*> attached_{nullptr};  // while its socket is watched
  std::atomic<int> socket_{-1};
  std::atomic<bool> write_wanted_{false};
  std::atomic<bool> watching_writable_{false};
  // Of the loop's thread: since when the server has taken nothing of what waits.
  std::optional<MonotonicTime> stuck_since_;

  Mutex watchers_mutex_;
  std::list<std::shared_ptr<Watcher>> watchers_ GUARDED_BY(watchers_mutex_);
  Mutex listeners_mutex_;
  std::shared_ptr<const Listeners> listeners_ GUARDED_BY(listeners_mutex_) =
      std::make_shared<Listeners>();  // replaced, never changed
  std::atomic<bool> begun_{false};    // one of them, for which something may have come already
  std::atomic<bool> ended_{false};    // one of them has
  // What nats.c's callbacks say.
  std::atomic<bool> lost_{false};
  std::atomic<bool> back_{false};
  Loop::Timer changes_{loop_, [this] { look_at_changes(); }};
  Loop::Timer patience_{loop_, [this] { give_up_sending(); }};

  Mutex closed_mutex_;
  CondVar closed_told_;
  bool closed_ GUARDED_BY(closed_mutex_) = false;  // the closed callback has run
};

}  // namespace toolway::bus
