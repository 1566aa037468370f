#include "bus/nats_connection.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <iterator>
#include <thread>

#include "base/contained.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "base/try.h"
#include "bus/nats_options.h"

namespace toolway::bus {

struct NatsConnection::Listener {
  explicit Listener(NatsHandler told) : handler(std::move(told)) {}
  ~Listener() { natsSubscription_Destroy(subscription); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Synchronous, so that nats.c delivers nothing by threads of its own.
  natsSubscription* subscription = nullptr;
  const NatsHandler handler;
  HandlerGate gate;
  std::atomic<bool> ended{false};
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
    if (natsSubscription_DrainTimeout(listener_->subscription, limit.count()) != NATS_OK) return;
    natsSubscription_WaitForDrainCompletion(listener_->subscription, limit.count());
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

/// A server that has read nothing for so long is given up.
constexpr std::chrono::seconds kSendWithin{2};
/// More bytes than this do not wait to be sent.
constexpr int kMaxUnsentBytes = 32 << 20;

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
                                                                const JetStreamOptions& wanted) {
  std::unique_ptr<NatsConnection> self(new NatsConnection(loop));
  self->inboxes_ = wanted.name.empty() ? "_INBOX" : "_INBOX." + wanted.name;
  ASSIGN_OR_RETURN(const auto options, nats_options(wanted, self->inboxes_));
  natsStatus s = self->set_callbacks(options.get());
  if (s != NATS_OK) return fail(ErrorCode::kInternal, natsStatus_GetText(s));

  const auto give_up = std::chrono::steady_clock::now() + wanted.connect_timeout;
  for (;;) {
    s = natsConnection_Connect(&self->connection_, options.get());
    if (s == NATS_OK) break;
    if (std::chrono::steady_clock::now() >= give_up) {
      return fail(ErrorCode::kBusUnavailable,
                  fmt::format("cannot connect to NATS: {}", natsStatus_GetText(s)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  self->connected_.store(true, std::memory_order_release);
  loop.add(*self);
  return self;
}

natsStatus NatsConnection::set_callbacks(natsOptions* options) {
  natsStatus s = natsOptions_SetEventLoop(
      options, this, &NatsConnection::attach, &NatsConnection::on_read_wanted,
      &NatsConnection::on_write_wanted, &NatsConnection::detach);
  if (s == NATS_OK)
    s = natsOptions_SetDisconnectedCB(options, &NatsConnection::on_disconnected, this);
  if (s == NATS_OK)
    s = natsOptions_SetReconnectedCB(options, &NatsConnection::on_reconnected, this);
  if (s == NATS_OK) s = natsOptions_SetErrorHandler(options, &NatsConnection::on_error, this);
  if (s == NATS_OK) s = natsOptions_SetClosedCB(options, &NatsConnection::on_closed, this);
  return s;
}

NatsConnection::~NatsConnection() {
  closing_.store(true, std::memory_order_release);
  loop_.remove(*this);
  if (connection_ == nullptr) return;
  natsConnection_Close(connection_);
  {
    MutexLock lock(closed_mutex_);
    closed_told_.wait(lock, [this]() REQUIRES(closed_mutex_) { return closed_; });
  }
  {
    const MutexLock lock(listeners_mutex_);
    listeners_.reset();
  }
  natsConnection_Destroy(connection_);
}

natsStatus NatsConnection::attach(void** self, void* loop, natsConnection* connection,
                                  natsSock socket) {
  auto* to = static_cast<NatsConnection*>(loop);
  *self = to;
  to->socket_.store(socket, std::memory_order_release);
  to->write_wanted_.store(false, std::memory_order_release);
  to->watching_writable_.store(false, std::memory_order_release);
  to->attached_.store(connection, std::memory_order_release);
  to->loop_.watch(*to, socket);
  return NATS_OK;
}

natsStatus NatsConnection::on_read_wanted(void* self, bool wanted) {
  auto* connection = static_cast<NatsConnection*>(self);
  if (wanted) return NATS_OK;  // from attach on
  // The socket is about to be closed. Nothing must be published until there is another one.
  connection->connected_.store(false, std::memory_order_release);
  connection->attached_.store(nullptr, std::memory_order_release);
  connection->loop_.forget(connection->socket_.load(std::memory_order_acquire));
  return NATS_OK;
}

natsStatus NatsConnection::on_write_wanted(void* self, bool wanted) {
  auto* connection = static_cast<NatsConnection*>(self);
  connection->write_wanted_.store(wanted, std::memory_order_release);
  if (wanted) connection->loop_.wake();
  return NATS_OK;
}

natsStatus NatsConnection::detach(void*) { return NATS_OK; }

void NatsConnection::ready(std::uint32_t events) {
  auto* attached = attached_.load(std::memory_order_acquire);
  // What is writable is written at the end of the turn.
  if (attached == nullptr || (events & ~std::uint32_t{EPOLLOUT}) == 0) return;
  natsConnection_ProcessReadEvent(attached);
  receive();
}

void NatsConnection::end_turn() {
  // What came before the loop knew a listener would else wait for the next message.
  if (begun_.exchange(false)) receive();
  sweep();
  auto* attached = attached_.load(std::memory_order_acquire);
  if (attached == nullptr || !write_wanted_.load(std::memory_order_acquire)) {
    stuck_since_.reset();
    return watch_writable(false);
  }
  const bool waited = watching_writable_.load(std::memory_order_acquire);
  const int before = waited ? natsConnection_Buffered(attached) : 0;
  natsConnection_ProcessWriteEvent(attached);
  if (!write_wanted_.load(std::memory_order_acquire)) {
    stuck_since_.reset();
    return watch_writable(false);
  }
  watch_writable(true);
  const MonotonicTime now = std::chrono::steady_clock::now();
  if (!waited || natsConnection_Buffered(attached) < before) stuck_since_.reset();
  if (!stuck_since_) {
    stuck_since_ = now;
    patience_.set(now + kSendWithin);
  }
}

void NatsConnection::watch_writable(bool wanted) {
  if (watching_writable_.exchange(wanted, std::memory_order_acq_rel) == wanted) return;
  loop_.watch_writable(*this, socket_.load(std::memory_order_acquire), wanted);
}

void NatsConnection::give_up_sending() {
  if (!stuck_since_ || attached_.load(std::memory_order_acquire) == nullptr) return;
  if (std::chrono::steady_clock::now() < *stuck_since_ + kSendWithin) return;
  stuck_since_.reset();
  spdlog::warn("NATS has not read for {} s: connecting again", kSendWithin.count());
  // nats.c finds it broken in the next turn.
  shutdown(socket_.load(std::memory_order_acquire), SHUT_RDWR);
}

void NatsConnection::receive() {
  std::shared_ptr<const Listeners> listeners;
  {
    const MutexLock lock(listeners_mutex_);
    listeners = listeners_;
  }
  for (const auto& listener : *listeners) receive(*listener);
}

void NatsConnection::receive(Listener& listener) {
  std::uint64_t queued = 0;
  if (natsSubscription_QueuedMsgs(listener.subscription, &queued) != NATS_OK) return;
  for (; queued > 0; --queued) {
    natsMsg* message = nullptr;
    const natsStatus s = natsSubscription_NextMsg(&message, listener.subscription, 0);
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
  if (!connected()) return fail(ErrorCode::kBusUnavailable, "not connected to NATS");
  if (natsConnection_Buffered(connection_) > kMaxUnsentBytes)
    return fail(ErrorCode::kBusUnavailable, "NATS does not read what is sent to it");
  const char* reply_to = reply.empty() ? nullptr : reply.c_str();
  const int size = static_cast<int>(payload.size());
  natsStatus s = NATS_OK;
  if (headers.empty()) {
    s = reply_to == nullptr
            ? natsConnection_Publish(connection_, subject.c_str(), payload.data(), size)
            : natsConnection_PublishRequest(connection_, subject.c_str(), reply_to, payload.data(),
                                            size);
  } else {
    natsMsg* message = nullptr;
    s = natsMsg_Create(&message, subject.c_str(), reply_to, payload.data(), size);
    const NatsMessage owner(message);
    for (const NatsHeader& header : headers) {
      if (s == NATS_OK) s = natsMsgHeader_Set(message, header.name, header.value.c_str());
    }
    if (s == NATS_OK) s = natsConnection_PublishMsg(connection_, message);
  }
  if (s == NATS_OK) return {};
  if (s == NATS_MAX_PAYLOAD) {
    return fail(ErrorCode::kPayloadTooLarge,
                fmt::format("a message of {} bytes is over the NATS server's max_payload", size));
  }
  return fail(ErrorCode::kBusUnavailable, natsStatus_GetText(s));
}

Result<std::unique_ptr<DrainableSubscription>> NatsConnection::subscribe(const std::string& subject,
                                                                         NatsHandler handler,
                                                                         const std::string& group) {
  auto listener = std::make_shared<Listener>(std::move(handler));
  const natsStatus s =
      group.empty()
          ? natsConnection_SubscribeSync(&listener->subscription, connection_, subject.c_str())
          : natsConnection_QueueSubscribeSync(&listener->subscription, connection_, subject.c_str(),
                                              group.c_str());
  if (s != NATS_OK) {
    return fail(ErrorCode::kBusUnavailable,
                fmt::format("cannot subscribe: {}", natsStatus_GetText(s)));
  }
  std::unique_ptr<LiveSubscription> subscription;
  {
    const MutexLock lock(listeners_mutex_);
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
/// it reads a message for. And not while nats.c connects again, since it would wait for that.
void NatsConnection::sweep() {
  if (attached_.load(std::memory_order_acquire) == nullptr || !ended_.exchange(false)) return;
  std::shared_ptr<const Listeners> before;
  const bool swept = contained("the end of a subscription", [&] {
    const MutexLock lock(listeners_mutex_);
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
  if (lost_.exchange(false)) {
    receive();  // what had arrived comes before the loss
    changed(Connection::kDisconnected);
  }
  if (back_.load() && !connected()) changed(Connection::kConnected);
}

void NatsConnection::on_disconnected(natsConnection*, void* self) {
  auto* connection = static_cast<NatsConnection*>(self);
  if (connection->closing_.load(std::memory_order_acquire)) return;
  spdlog::warn("lost the connection to NATS; trying again");
  connection->back_.store(false);
  connection->lost_.store(true);
  connection->changes_.set(MonotonicTime::min());
}

void NatsConnection::on_reconnected(natsConnection*, void* self) {
  spdlog::info("connected to NATS again");
  auto* connection = static_cast<NatsConnection*>(self);
  connection->back_.store(true);
  connection->changes_.set(MonotonicTime::min());
}

void NatsConnection::on_error(natsConnection*, natsSubscription*, natsStatus error, void*) {
  spdlog::warn("NATS: {}", natsStatus_GetText(error));
}

void NatsConnection::on_closed(natsConnection* connection, void* closure) {
  auto* self = static_cast<NatsConnection*>(closure);
  if (self->closing_.load(std::memory_order_acquire)) {
    // nats.c's last word: the destructor waits for it.
    const MutexLock lock(self->closed_mutex_);
    self->closed_ = true;
    self->closed_told_.notify_all();
    return;
  }
  // nats.c retries forever but gives up when it is refused (authentication):
  // a process that can never speak again must be restarted.
  const char* reason = nullptr;
  const natsStatus s = natsConnection_GetLastError(connection, &reason);
  spdlog::critical("NATS has closed the connection for good: {}",
                   reason != nullptr && *reason != '\0' ? reason : natsStatus_GetText(s));
  std::_Exit(EXIT_FAILURE);
}

}  // namespace toolway::bus
