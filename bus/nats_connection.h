#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "bus/bus.h"
#include "bus/handler_gate.h"
#include "bus/jetstream_options.h"
#include "bus/loop.h"
#include "bus/nats_link.h"
#include "bus/nats_message.h"
#include "bus/nats_reconnector.h"

namespace toolway::bus {

using NatsHandler = std::function<void(NatsMessage)>;

/// A subscription that can end without losing what the server has already sent.
class DrainableSubscription : public Subscription {
 public:
  /// Tells the server to send no more, and returns when every message that it had sent has been
  /// handled, or after `limit`. With the connection down only what had arrived is handled. On the
  /// loop's thread, which would have to handle them, it does not wait. Thread-safe; once.
  virtual void drain(std::chrono::milliseconds limit) = 0;
};

/// A connection to NATS that a loop drives: publishes, subscribes safely, reports losses, and comes
/// back after each of them with all its subscriptions. All handlers run on the loop's thread. What
/// one turn of the loop publishes leaves in one write.
class NatsConnection final : private Loop::Source {
 public:
  /// Tries until it is connected or options.connect_timeout has passed. `loop` must live longer.
  static Result<std::unique_ptr<NatsConnection>> connect(Loop& loop,
                                                         const JetStreamOptions& options);
  /// Where the loop takes its turns, or once it takes no more.
  ~NatsConnection() override;
  NatsConnection(const NatsConnection&) = delete;
  NatsConnection& operator=(const NatsConnection&) = delete;

  /// Does not wait. Errors: kBusUnavailable (not sent: not connected, or the server does not read),
  /// kPayloadTooLarge.
  Result<void> publish(const std::string& subject, const std::string& reply,
                       std::string_view payload, const std::vector<NatsHeader>& headers);

  /// The subscription is known to the server before anything published afterwards. While
  /// disconnected it begins with the next connection.
  /// Of the subscriptions of one `group` one gets each message; without a group all do.
  Result<std::unique_ptr<DrainableSubscription>> subscribe(const std::string& subject,
                                                           NatsHandler handler,
                                                           const std::string& group = {});

  bool connected() const { return connected_.load(std::memory_order_acquire); }
  std::unique_ptr<Subscription> on_change(std::function<void(Connection)> handler);
  /// Null while there is none. Who holds it may use raw() even over its loss. Thread-safe.
  std::shared_ptr<NatsLink> link() const;
  Loop& loop() { return loop_; }
  /// A unique prefix for inboxes, without a trailing dot: `_INBOX.<name>.<random>`, so that
  /// permissions can let a role receive only its own answers.
  std::string new_inbox() const;

 private:
  class LiveSubscription;
  struct Watcher;
  struct Listener;
  using Listeners = std::vector<std::shared_ptr<Listener>>;

  NatsConnection(Loop& loop, JetStreamOptions options);
  Result<void> connect();
  NatsLink::Connected attempt(const std::vector<std::string>& others);
  void ready(std::uint32_t events) override;
  void end_turn() override;
  void receive();
  void receive(Listener& listener);
  void look_at_changes();
  void lose(NatsLink& link);
  /// All listeners are its own from then on. Errors: kBusUnavailable (it has been lost already).
  Result<void> adopt(std::shared_ptr<NatsLink> fresh);
  void changed(Connection state);
  void end(Listener& listener);
  void sweep();

  Loop& loop_;
  const JetStreamOptions options_;
  const std::string inboxes_;  // what all of them begin with
  std::atomic<bool> connected_{false};

  Mutex watchers_mutex_;
  std::list<std::shared_ptr<Watcher>> watchers_ GUARDED_BY(watchers_mutex_);
  mutable Mutex mutex_;
  std::shared_ptr<NatsLink> link_ GUARDED_BY(mutex_);  // changed on the loop's thread alone
  std::shared_ptr<const Listeners> listeners_ GUARDED_BY(mutex_) =
      std::make_shared<Listeners>();  // replaced, never changed
  std::atomic<bool> begun_{false};    // one of them, for which something may have come already
  std::atomic<bool> ended_{false};    // one of them has
  Loop::Timer changes_{loop_, [this] { look_at_changes(); }};
  NatsReconnector reconnector_{[this](const auto& others) { return attempt(others); },
                               [this] { changes_.set(MonotonicTime::min()); }};
};

}  // namespace toolway::bus
