#pragma once

#include <nats/nats.h>

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
#include "bus/jetstream_bus.h"

namespace toolway::bus {

/// A header of a message to be published.
struct NatsHeader {
  const char* name;
  std::string value;
};

/// A received message; owns it. Not copyable.
class NatsMessage {
 public:
  explicit NatsMessage(natsMsg* message) : message_(message) {}
  std::string_view subject() const;
  std::string_view reply() const;
  std::string_view data() const;
  /// The last value of a header (the server adds its own after the
  /// publisher's); empty when there is none.
  std::string_view header(const char* name) const;
  /// The status of a message that only carries one ("404", "408" …); empty for a real message.
  std::string_view status() const;

 private:
  struct Destroy {
    void operator()(natsMsg* message) const { natsMsg_Destroy(message); }
  };
  std::unique_ptr<natsMsg, Destroy> message_;
};

using NatsHandler = std::function<void(NatsMessage)>;

/// A subscription that can end without losing what the server has already sent.
class DrainableSubscription : public Subscription {
 public:
  /// Tells the server to send no more, and returns when every message that it had sent has been
  /// handled, or after `limit`. With the connection down only what had arrived is handled. Called
  /// by a handler of this connection it may wait for all of `limit`. Thread-safe; once.
  virtual void drain(std::chrono::milliseconds limit) = 0;
};

/// One nats.c connection: publishes, subscribes safely, reports losses. All
/// handlers run on nats.c's delivery thread or its callback thread.
class NatsConnection {
 public:
  /// Tries until it is connected or options.connect_timeout has passed.
  static Result<std::unique_ptr<NatsConnection>> connect(const JetStreamOptions& options);
  ~NatsConnection();
  NatsConnection(const NatsConnection&) = delete;
  NatsConnection& operator=(const NatsConnection&) = delete;

  /// Errors: kBusUnavailable (not sent), kTimeout (perhaps sent), kPayloadTooLarge.
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
  /// A unique prefix for inboxes, without a trailing dot: `_INBOX.<name>.<random>`, so that
  /// permissions can let a role receive only its own answers.
  std::string new_inbox() const;

 private:
  class LiveSubscription;
  struct Watcher;
  struct Holder;

  NatsConnection() = default;
  void changed(Connection state);
  void tell(Connection state);
  void bury(Holder* holder, bool Holder::* reason);
  void sweep();
  static void on_disconnected(natsConnection*, void* self);
  static void on_reconnected(natsConnection*, void* self);
  static void on_error(natsConnection*, natsSubscription*, natsStatus error, void* self);
  static void on_closed(natsConnection*, void* closure);
  static void on_message(natsConnection*, natsSubscription*, natsMsg* message, void* holder);
  static void on_complete(void* holder);

  natsConnection* connection_ = nullptr;
  std::string inboxes_;  // what all of them begin with
  std::atomic<bool> connected_{false};
  std::atomic<bool> closing_{false};

  Mutex watchers_mutex_;
  std::list<std::shared_ptr<Watcher>> watchers_ GUARDED_BY(watchers_mutex_);

  // A subscription is destroyed only once nats.c has said that it is complete:
  // earlier, with traffic on it, is a use after free in 3.4.1 (issues 637, 659).
  Mutex holders_mutex_;
  CondVar ended_;
  std::size_t holders_ GUARDED_BY(holders_mutex_) = 0;  // not in the graveyard yet
  bool closed_ GUARDED_BY(holders_mutex_) = false;      // the closed callback has run
  std::vector<Holder*> graveyard_
      GUARDED_BY(holders_mutex_);  // complete and released, to be destroyed
};

}  // namespace toolway::bus
