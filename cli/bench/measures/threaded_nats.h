#pragma once

#include <nats/nats.h>

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/mutex.h"
#include "bus/bus.h"
#include "bus/handler_gate.h"
#include "bus/nats_message.h"
#include "bus/pull_ledger.h"

namespace toolway::cli::bench::measures {

/// One nats.c connection with the threads of that library: one reads, one delivers, and who
/// publishes sends. The bus worked so before it ran on a loop (decision 16); this is what the floor
/// needs of it, so that the floor stays what it was. Handlers run on the thread that delivers.
/// Thread-safe. A lost connection is its end: what is open then fails.
class ThreadedNats {
 public:
  /// Errors: kBusUnavailable.
  static Result<std::unique_ptr<ThreadedNats>> connect(const std::string& url);
  ~ThreadedNats();
  ThreadedNats(const ThreadedNats&) = delete;
  ThreadedNats& operator=(const ThreadedNats&) = delete;

  /// A message of a durable; settle it once.
  class Delivery {
   public:
    Delivery(ThreadedNats& nats, std::string text, std::string reply)
        : payload(std::move(text)), nats_(&nats), reply_(std::move(reply)) {}
    void ack() { nats_->settle(reply_, bus::SettleKind::kAck); }
    void term() { nats_->settle(reply_, bus::SettleKind::kTerm); }
    std::string payload;

   private:
    ThreadedNats* nats_;
    std::string reply_;
  };
  class Pull;

  /// As the bus's, but an answer that never comes is given up only with the connection.
  void publish(const bus::Publication& publication, bus::PublishHandler handler);
  std::unique_ptr<Pull> pull(const bus::Durable& durable, std::function<void(Delivery)> handler);
  /// Errors: kBusUnavailable.
  Result<std::unique_ptr<bus::Subscription>> follow(const std::string& filter,
                                                    bus::LiveHandler handler);
  /// Returns once the server has read all that was sent, subscriptions too. Blocks for up to 10 s.
  /// Errors: kBusUnavailable.
  Result<void> reach_server();

 private:
  using Handler = std::function<void(bus::NatsMessage)>;
  struct Listener {
    ThreadedNats* nats;
    Handler handler;
    natsSubscription* subscription = nullptr;
    bus::HandlerGate gate;
  };
  class Listening;

  ThreadedNats() = default;
  Result<std::unique_ptr<bus::Subscription>> subscribe(const std::string& subject, Handler handler);
  bool send(const std::string& subject, const std::string& reply, const std::string& text);
  void settle(const std::string& reply, bus::SettleKind how);
  void answered(const bus::NatsMessage& ack);
  static void on_message(natsConnection*, natsSubscription*, natsMsg* message, void* listener);
  static void on_complete(void* listener);
  static void on_closed(natsConnection*, void* self);

  natsConnection* connection_ = nullptr;
  std::string inbox_;  // with its trailing dot
  std::unique_ptr<bus::Subscription> acks_;
  Mutex mutex_;
  CondVar complete_;
  std::list<Listener> listeners_ GUARDED_BY(mutex_);
  std::size_t incomplete_ GUARDED_BY(mutex_) = 0;  // of those: nats.c may still call them
  bool closed_ GUARDED_BY(mutex_) = false;         // nats.c has said so, its last word
  std::uint64_t last_token_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::uint64_t, bus::PublishHandler> open_ GUARDED_BY(mutex_);
};

/// A pull client; no handler runs once it is destroyed.
class ThreadedNats::Pull {
 public:
  Pull(ThreadedNats& nats, const bus::Durable& durable, std::function<void(Delivery)> handler);
  /// `count` more may be delivered. Thread-safe.
  void allow(std::size_t count);

 private:
  void received(const bus::NatsMessage& message);
  void ask();

  ThreadedNats& nats_;
  const std::string inbox_;    // with its trailing dot
  const std::string request_;  // the subject to ask on
  const std::function<void(Delivery)> handler_;
  const SystemClock clock_;
  Mutex mutex_;
  bus::PullLedger ledger_ GUARDED_BY(mutex_);
  std::unique_ptr<bus::Subscription> subscription_;  // last: it calls what is above
};

}  // namespace toolway::cli::bench::measures
