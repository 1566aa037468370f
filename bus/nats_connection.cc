#include "bus/nats_connection.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <thread>

#include "base/contained.h"
#include "base/ids.h"
#include "base/mutex.h"

namespace toolway::bus {

std::string_view NatsMessage::subject() const { return natsMsg_GetSubject(message_.get()); }

std::string_view NatsMessage::reply() const {
  const char* reply = natsMsg_GetReply(message_.get());
  return reply == nullptr ? std::string_view() : reply;
}

std::string_view NatsMessage::data() const {
  return {natsMsg_GetData(message_.get()),
          static_cast<std::size_t>(natsMsg_GetDataLength(message_.get()))};
}

std::string_view NatsMessage::header(const char* name) const {
  const char** values = nullptr;
  int count = 0;
  std::string_view last;
  if (natsMsgHeader_Values(message_.get(), name, &values, &count) == NATS_OK && count > 0) {
    last = values[count - 1];  // the strings belong to the message, the array to us
  }
  std::free(static_cast<void*>(values));
  return last;
}

std::string_view NatsMessage::status() const {
  if (natsMsg_GetDataLength(message_.get()) != 0) return {};
  const char* value = nullptr;
  if (natsMsgHeader_Get(message_.get(), "Status", &value) != NATS_OK) return {};
  return value;
}

struct NatsConnection::Holder {
  NatsConnection* connection;
  natsSubscription* subscription = nullptr;
  NatsHandler handler;
  HandlerGate gate;
  // Under holders_mutex_. Both must be true before it may be destroyed.
  bool complete = false;  // nats.c delivers nothing more
  bool released = false;  // our own unsubscribing has returned
};

struct NatsConnection::Watcher {
  std::function<void(Connection)> handler;
  HandlerGate gate;
};

class NatsConnection::LiveSubscription final : public DrainableSubscription {
 public:
  explicit LiveSubscription(Holder* holder) : holder_(holder) {}
  ~LiveSubscription() override {
    holder_->gate.close();
    // Fails only when the connection is closed, and then it is complete anyway.
    natsSubscription_Unsubscribe(holder_->subscription);
    holder_->connection->bury(holder_, &Holder::released);
  }

  void drain(std::chrono::milliseconds limit) override {
    if (natsSubscription_DrainTimeout(holder_->subscription, limit.count()) != NATS_OK) return;
    natsSubscription_WaitForDrainCompletion(holder_->subscription, limit.count());
  }

 private:
  Holder* holder_;
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

struct OptionsDestroy {
  void operator()(natsOptions* options) const { natsOptions_Destroy(options); }
};
using Options = std::unique_ptr<natsOptions, OptionsDestroy>;

std::vector<std::string> split_urls(const std::string& urls) {
  std::vector<std::string> result;
  std::size_t from = 0;
  while (from <= urls.size()) {
    const auto comma = std::min(urls.find(',', from), urls.size());
    if (comma > from) result.push_back(urls.substr(from, comma - from));
    from = comma + 1;
  }
  return result;
}

}  // namespace

Result<std::unique_ptr<NatsConnection>> NatsConnection::connect(const JetStreamOptions& wanted) {
  std::unique_ptr<NatsConnection> self(new NatsConnection());
  self->inboxes_ = wanted.name.empty() ? "_INBOX" : "_INBOX." + wanted.name;
  natsOptions* created = nullptr;
  if (natsOptions_Create(&created) != NATS_OK) {
    return fail(ErrorCode::kInternal, "nats.c could not create its options");
  }
  const Options options(created);
  std::vector<std::string> urls = split_urls(wanted.url);
  std::vector<const char*> servers;
  for (const std::string& url : urls) servers.push_back(url.c_str());

  natsStatus s = natsOptions_SetServers(created, servers.data(), static_cast<int>(servers.size()));
  const auto set = [&s](natsStatus next) {
    if (s == NATS_OK) s = next;
  };
  set(natsOptions_SetName(created, wanted.name.c_str()));
  set(natsOptions_SetCustomInboxPrefix(created, self->inboxes_.c_str()));
  set(natsOptions_SetMaxReconnect(created, -1));
  set(natsOptions_SetReconnectWait(created, 100));
  set(natsOptions_SetReconnectJitter(created, 100, 100));
  set(natsOptions_SetPingInterval(created, 5000));
  set(natsOptions_SetMaxPingsOut(created, 2));
  // What cannot be sent now must not be sent minutes later.
  set(natsOptions_SetReconnectBufSize(created, 1));
  set(natsOptions_SetFailRequestsOnDisconnect(created, true));
  set(natsOptions_SetWriteDeadline(created, 2000));
  set(natsOptions_SetSendAsap(created, true));
  set(natsOptions_UseGlobalMessageDelivery(created, true));
  set(natsOptions_SetDisconnectedCB(created, &NatsConnection::on_disconnected, self.get()));
  set(natsOptions_SetReconnectedCB(created, &NatsConnection::on_reconnected, self.get()));
  set(natsOptions_SetErrorHandler(created, &NatsConnection::on_error, self.get()));
  set(natsOptions_SetClosedCB(created, &NatsConnection::on_closed, self.get()));
  if (s != NATS_OK) return fail(ErrorCode::kInternal, natsStatus_GetText(s));

  const auto give_up = std::chrono::steady_clock::now() + wanted.connect_timeout;
  for (;;) {
    s = natsConnection_Connect(&self->connection_, created);
    if (s == NATS_OK) break;
    if (std::chrono::steady_clock::now() >= give_up) {
      return fail(ErrorCode::kBusUnavailable,
                  fmt::format("cannot connect to NATS: {}", natsStatus_GetText(s)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  self->connected_.store(true, std::memory_order_release);
  return self;
}

NatsConnection::~NatsConnection() {
  closing_.store(true, std::memory_order_release);
  if (connection_ == nullptr) return;
  natsConnection_Close(connection_);
  {
    MutexLock lock(holders_mutex_);
    ended_.wait(lock, [this]() REQUIRES(holders_mutex_) { return holders_ == 0 && closed_; });
  }
  sweep();
  natsConnection_Destroy(connection_);
}

Result<void> NatsConnection::publish(const std::string& subject, const std::string& reply,
                                     std::string_view payload,
                                     const std::vector<NatsHeader>& headers) {
  if (!connected()) return fail(ErrorCode::kBusUnavailable, "not connected to NATS");
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
  // Broken in mid-send: we cannot tell what the server has read.
  if (s == NATS_IO_ERROR) {
    return fail(ErrorCode::kTimeout, "the connection to NATS broke while sending");
  }
  return fail(ErrorCode::kBusUnavailable, natsStatus_GetText(s));
}

Result<std::unique_ptr<DrainableSubscription>> NatsConnection::subscribe(const std::string& subject,
                                                                         NatsHandler handler,
                                                                         const std::string& group) {
  sweep();
  auto holder = std::make_unique<Holder>();
  holder->connection = this;
  holder->handler = std::move(handler);
  natsStatus s =
      group.empty()
          ? natsConnection_Subscribe(&holder->subscription, connection_, subject.c_str(),
                                     &NatsConnection::on_message, holder.get())
          : natsConnection_QueueSubscribe(&holder->subscription, connection_, subject.c_str(),
                                          group.c_str(), &NatsConnection::on_message, holder.get());
  if (s != NATS_OK) {
    return fail(ErrorCode::kBusUnavailable,
                fmt::format("cannot subscribe: {}", natsStatus_GetText(s)));
  }
  {
    const MutexLock lock(holders_mutex_);
    ++holders_;
  }
  s = natsSubscription_SetOnCompleteCB(holder->subscription, &NatsConnection::on_complete,
                                       holder.get());
  if (s != NATS_OK) on_complete(holder.get());  // closed already: there will be no call
  return std::make_unique<LiveSubscription>(holder.release());
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
  tell(state);
}

void NatsConnection::tell(Connection state) {
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

void NatsConnection::on_disconnected(natsConnection*, void* self) {
  auto* connection = static_cast<NatsConnection*>(self);
  if (connection->closing_.load(std::memory_order_acquire)) return;
  spdlog::warn("lost the connection to NATS; trying again");
  connection->changed(Connection::kDisconnected);
}

void NatsConnection::on_reconnected(natsConnection*, void* self) {
  spdlog::info("connected to NATS again");
  static_cast<NatsConnection*>(self)->changed(Connection::kConnected);
}

void NatsConnection::on_error(natsConnection*, natsSubscription*, natsStatus error, void* self) {
  // nats.c says so once per stretch, when a subscription's queue is full.
  if (error == NATS_SLOW_CONSUMER) {
    spdlog::warn("messages arrive faster than they are read; some live ones were dropped");
    static_cast<NatsConnection*>(self)->tell(Connection::kGap);
    return;
  }
  spdlog::warn("NATS: {}", natsStatus_GetText(error));
}

void NatsConnection::on_closed(natsConnection* connection, void* closure) {
  auto* self = static_cast<NatsConnection*>(closure);
  if (self->closing_.load(std::memory_order_acquire)) {
    // nats.c's last word: the destructor waits for it.
    const MutexLock lock(self->holders_mutex_);
    self->closed_ = true;
    self->ended_.notify_all();
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

void NatsConnection::on_message(natsConnection*, natsSubscription*, natsMsg* message,
                                void* closure) {
  NatsMessage owner(message);
  auto* holder = static_cast<Holder*>(closure);
  // nats.c, which calls this, is C.
  contained("a message of NATS",
            [&] { holder->gate.run([&] { holder->handler(std::move(owner)); }); });
}

void NatsConnection::on_complete(void* closure) {
  auto* holder = static_cast<Holder*>(closure);
  holder->connection->bury(holder, &Holder::complete);
}

void NatsConnection::bury(Holder* holder, bool Holder::* reason) {
  const MutexLock lock(holders_mutex_);
  holder->*reason = true;
  if (!holder->complete || !holder->released) return;
  graveyard_.push_back(holder);
  --holders_;
  ended_.notify_all();
}

void NatsConnection::sweep() {
  std::vector<Holder*> dead;
  {
    const MutexLock lock(holders_mutex_);
    dead.swap(graveyard_);
  }
  for (Holder* holder : dead) {
    natsSubscription_Destroy(holder->subscription);
    delete holder;
  }
}

}  // namespace toolway::bus
