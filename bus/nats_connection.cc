#include "bus/nats_connection.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <thread>

#include "base/contained.h"
#include "base/ids.h"
#include "base/try.h"

namespace toolway::bus {

struct NatsConnection::Listener {
  const std::string subject;
  const std::string group;
  const NatsHandler handler;
  HandlerGate gate;
  std::atomic<bool> ended{false};
  /// At the last connection; null before the first. Changed on the loop's thread alone, under the
  /// connection's mutex.
  NatsSubscription subscription;
};

struct NatsConnection::Watcher {
  std::function<void(Connection)> handler;
  HandlerGate gate;
};

class NatsConnection::LiveSubscription final : public DrainableSubscription {
 public:
  /// The connection keeps `listener` until this has ended.
  LiveSubscription(NatsConnection& connection, Listener& listener)
      : connection_(connection), listener_(&listener) {}
  ~LiveSubscription() override {
    listener_->gate.close();
    connection_.end(*listener_);
  }

  void drain(std::chrono::milliseconds limit) override {
    if (connection_.loop_.here()) return;
    const auto give_up = std::chrono::steady_clock::now() + limit;
    NatsSubscription subscription;
    {
      const MutexLock lock(connection_.mutex_);
      subscription = listener_->subscription;
    }
    if (natsSubscription_DrainTimeout(subscription.get(), limit.count()) != NATS_OK) return;
    natsSubscription_WaitForDrainCompletion(subscription.get(), limit.count());
    // The last message was taken in a turn that may not have ended.
    contained("the end of a turn", [&] {
      auto turned = std::make_shared<std::promise<void>>();
      auto future = turned->get_future();
      connection_.loop_.post([turned] { turned->set_value(); });
      future.wait_until(give_up);
    });
  }

 private:
  NatsConnection& connection_;
  Listener* const listener_;
};

namespace {

/// Forgets a watcher and waits for its handler.
template <typename End>
class EndOnDestruction final : public Subscription {
 public:
  explicit EndOnDestruction(End end) : end_(std::move(end)) {}
  ~EndOnDestruction() override { end_(); }

 private:
  End end_;
};

}  // namespace

Result<std::unique_ptr<NatsConnection>> NatsConnection::connect(Loop& loop,
                                                                const JetStreamOptions& options) {
  std::unique_ptr<NatsConnection> self(new NatsConnection(loop, options));
  RETURN_IF_ERROR(self->connect());
  return self;
}

NatsConnection::NatsConnection(Loop& loop, JetStreamOptions options)
    : loop_(loop),
      options_(std::move(options)),
      inboxes_(options_.name.empty() ? "_INBOX" : "_INBOX." + options_.name) {
  loop_.add(*this);
}

Result<void> NatsConnection::connect() {
  const auto give_up = std::chrono::steady_clock::now() + options_.connect_timeout;
  for (;;) {
    auto made = attempt({});
    if (made) {
      connected_.store(true, std::memory_order_release);
      return adopt(std::move(*made));
    }
    if (std::chrono::steady_clock::now() >= give_up) {
      return fail(ErrorCode::kBusUnavailable,
                  fmt::format("cannot connect to NATS: {}", natsStatus_GetText(made.error())));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

NatsLink::Connected NatsConnection::attempt(const std::vector<std::string>& others) {
  return NatsLink::connect(
      {.loop = loop_, .source = *this, .lost = [this] { changes_.set(MonotonicTime::min()); }},
      options_, inboxes_, others);
}

NatsConnection::~NatsConnection() {
  loop_.remove(*this);
  changes_.stop();
  if (const auto link = this->link()) link->close();
}

std::shared_ptr<NatsLink> NatsConnection::link() const {
  const MutexLock lock(mutex_);
  return link_;
}

void NatsConnection::ready(std::uint32_t events) {
  // What is writable is written at the end of the turn.
  if ((events & ~std::uint32_t{EPOLLOUT}) == 0) return;
  if (const auto link = this->link()) link->read();
  receive();
}

void NatsConnection::end_turn() {
  // What came before the loop knew a listener would else wait for the next message.
  if (begun_.exchange(false)) receive();
  sweep();
  if (const auto link = this->link()) link->write();
}

void NatsConnection::receive() {
  std::shared_ptr<const Listeners> listeners;
  {
    const MutexLock lock(mutex_);
    listeners = listeners_;
  }
  for (const auto& listener : *listeners) receive(*listener);
}

void NatsConnection::receive(Listener& listener) {
  auto* const subscription = listener.subscription.get();
  std::uint64_t queued = 0;
  if (natsSubscription_QueuedMsgs(subscription, &queued) != NATS_OK) return;
  for (; queued > 0; --queued) {
    natsMsg* message = nullptr;
    const natsStatus s = natsSubscription_NextMsg(&message, subscription, 0);
    if (s != NATS_OK && s != NATS_NO_RESPONDERS) return;
    contained("a message of NATS", [&] {
      listener.gate.run([&, received = s == NATS_OK ? NatsMessage(message)
                                                    : NatsMessage::no_responders()]() mutable {
        listener.handler(std::move(received));
      });
    });
  }
}

Result<void> NatsConnection::publish(const std::string& subject, const std::string& reply,
                                     std::string_view payload,
                                     const std::vector<NatsHeader>& headers) {
  const auto link = this->link();
  if (!link) return fail(ErrorCode::kBusUnavailable, "not connected to NATS");
  return link->publish(subject, reply, payload, headers);
}

Result<std::unique_ptr<DrainableSubscription>> NatsConnection::subscribe(const std::string& subject,
                                                                         NatsHandler handler,
                                                                         const std::string& group) {
  auto listener = std::make_shared<Listener>(subject, group, std::move(handler));
  std::unique_ptr<LiveSubscription> subscription;
  {
    const MutexLock lock(mutex_);
    if (link_ && link_->open()) {
      auto subscribed = link_->subscribe(subject, group);
      // A connection that has just been lost is as good as none.
      if (!subscribed && link_->open()) return fail(std::move(subscribed.error()));
      if (subscribed) listener->subscription = std::move(*subscribed);
    }
    auto more = std::make_shared<Listeners>(*listeners_);
    more->push_back(listener);
    subscription = std::make_unique<LiveSubscription>(*this, *listener);
    listeners_ = std::move(more);
  }
  begun_.store(true);
  loop_.wake();
  return subscription;
}

void NatsConnection::end(Listener& listener) {
  listener.ended.store(true);
  ended_.store(true);
  loop_.wake();
}

/// Only the thread that reads may destroy a subscription: nats.c 3.4.1 does not keep the one that
/// it reads a message for.
void NatsConnection::sweep() {
  if (!ended_.exchange(false)) return;
  std::shared_ptr<const Listeners> before;
  const bool swept = contained("the end of a subscription", [&] {
    const MutexLock lock(mutex_);
    auto left = std::make_shared<Listeners>();
    std::ranges::copy_if(*listeners_, std::back_inserter(*left),
                         [](const auto& listener) { return !listener->ended.load(); });
    before = std::exchange(listeners_, std::move(left));
  });
  if (!swept) ended_.store(true);  // in a turn with more memory
}

std::unique_ptr<Subscription> NatsConnection::on_change(std::function<void(Connection)> handler) {
  auto watcher = std::make_shared<Watcher>();
  watcher->handler = std::move(handler);
  {
    const MutexLock lock(watchers_mutex_);
    watchers_.push_back(watcher);
  }
  auto end = [this, watcher] {
    {
      const MutexLock lock(watchers_mutex_);
      watchers_.remove(watcher);
    }
    watcher->gate.close();
  };
  return std::make_unique<EndOnDestruction<decltype(end)>>(std::move(end));
}

std::string NatsConnection::new_inbox() const { return inboxes_ + "." + random_hex(12); }

void NatsConnection::changed(Connection state) {
  connected_.store(state == Connection::kConnected, std::memory_order_release);
  std::vector<std::shared_ptr<Watcher>> watchers;
  contained("a change of the connection", [&] {
    const MutexLock lock(watchers_mutex_);
    watchers.assign(watchers_.begin(), watchers_.end());
  });
  for (const auto& watcher : watchers) {
    contained("a change of the connection",
              [&] { watcher->gate.run([&] { watcher->handler(state); }); });
  }
}

void NatsConnection::look_at_changes() {
  if (const auto link = this->link(); link && link->lost()) lose(*link);
  const auto fresh = reconnector_.take();
  if (!fresh) return;
  Result<void> adopted = fail(ErrorCode::kInternal, "out of memory");
  contained("a new connection to NATS", [&] { adopted = adopt(fresh); });
  if (!adopted) return reconnector_.ask_again();
  spdlog::info("connected to NATS again");
  changed(Connection::kConnected);
  // Its loss was told before it was the connection.
  if (fresh->lost()) changes_.set(MonotonicTime::min());
}

void NatsConnection::lose(NatsLink& link) {
  spdlog::warn("lost the connection to NATS; trying again");
  std::vector<std::string> others;
  contained("a list of NATS servers", [&] { others = link.discovered(); });
  {
    const MutexLock lock(mutex_);
    link_.reset();
  }
  changed(Connection::kDisconnected);
  reconnector_.ask(std::move(others));
}

Result<void> NatsConnection::adopt(std::shared_ptr<NatsLink> fresh) {
  const MutexLock lock(mutex_);
  for (const auto& listener : *listeners_) {
    if (listener->ended.load()) continue;
    ASSIGN_OR_RETURN(listener->subscription, fresh->subscribe(listener->subject, listener->group));
  }
  fresh->watch();
  link_ = std::move(fresh);
  return {};
}

}  // namespace toolway::bus
