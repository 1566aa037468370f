#include "bus/nats_link.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <cstdlib>
#include <utility>

#include "bus/nats_message.h"
#include "bus/nats_options.h"

namespace toolway::bus {
namespace {

/// A server that has read nothing for so long is given up.
constexpr std::chrono::seconds kSendWithin{2};
/// More bytes than this do not wait to be sent.
constexpr int kMaxUnsentBytes = 32 << 20;

}  // namespace

NatsLink::NatsLink(Owner owner)
    : owner_(std::move(owner)), patience_(owner_.loop, [this] { give_up_sending(); }) {}

NatsLink::Connected NatsLink::connect(Owner owner, const JetStreamOptions& wanted,
                                      const std::string& inboxes,
                                      const std::vector<std::string>& others) {
  std::shared_ptr<NatsLink> link(new NatsLink(std::move(owner)));
  const auto options = nats_options(wanted, inboxes, others);
  natsStatus s = options ? link->set_callbacks(options->get()) : options.error();
  if (s == NATS_OK) s = natsConnection_Connect(&link->connection_, options->get());
  if (s != NATS_OK) return tl::unexpected(s);
  return link;
}

natsStatus NatsLink::set_callbacks(natsOptions* options) {
  natsStatus s =
      natsOptions_SetEventLoop(options, this, &NatsLink::attach, &NatsLink::on_read_wanted,
                               &NatsLink::on_write_wanted, &NatsLink::detach);
  if (s == NATS_OK) s = natsOptions_SetErrorHandler(options, &NatsLink::on_error, this);
  if (s == NATS_OK) s = natsOptions_SetClosedCB(options, &NatsLink::on_closed, this);
  return s;
}

NatsLink::~NatsLink() {
  close();
  natsConnection_Destroy(connection_);
}

void NatsLink::close() {
  if (connection_ == nullptr) return;  // it was never connected
  closing_.store(true, std::memory_order_release);
  natsConnection_Close(connection_);
  MutexLock lock(closed_mutex_);
  closed_told_.wait(lock, [this]() REQUIRES(closed_mutex_) { return closed_; });
}

natsStatus NatsLink::attach(void** self, void* link, natsConnection*, natsSock socket) {
  auto* to = static_cast<NatsLink*>(link);
  *self = to;
  to->socket_.store(socket, std::memory_order_release);
  to->attached_.store(true, std::memory_order_release);
  return NATS_OK;
}

natsStatus NatsLink::on_read_wanted(void* self, bool wanted) {
  auto* link = static_cast<NatsLink*>(self);
  if (wanted) return NATS_OK;  // from watch() on
  // The socket is about to be closed.
  link->attached_.store(false, std::memory_order_release);
  link->owner_.loop.forget(link->socket_.load(std::memory_order_acquire));
  return NATS_OK;
}

natsStatus NatsLink::on_write_wanted(void* self, bool wanted) {
  auto* link = static_cast<NatsLink*>(self);
  link->write_wanted_.store(wanted, std::memory_order_release);
  if (wanted) link->owner_.loop.wake();
  return NATS_OK;
}

natsStatus NatsLink::detach(void*) { return NATS_OK; }

void NatsLink::watch() {
  if (open()) owner_.loop.watch(owner_.source, socket_.load(std::memory_order_acquire));
}

void NatsLink::read() {
  if (open()) natsConnection_ProcessReadEvent(connection_);
}

void NatsLink::write() {
  if (!open() || !write_wanted_.load(std::memory_order_acquire)) {
    stuck_since_.reset();
    return watch_writable(false);
  }
  const bool waited = watching_writable_;
  const int before = waited ? natsConnection_Buffered(connection_) : 0;
  natsConnection_ProcessWriteEvent(connection_);
  if (!write_wanted_.load(std::memory_order_acquire)) {
    stuck_since_.reset();
    return watch_writable(false);
  }
  watch_writable(true);
  const MonotonicTime now = std::chrono::steady_clock::now();
  if (!waited || natsConnection_Buffered(connection_) < before) stuck_since_.reset();
  if (!stuck_since_) {
    stuck_since_ = now;
    patience_.set(now + kSendWithin);
  }
}

void NatsLink::watch_writable(bool wanted) {
  if (std::exchange(watching_writable_, wanted) == wanted) return;
  owner_.loop.watch_writable(owner_.source, socket_.load(std::memory_order_acquire), wanted);
}

void NatsLink::give_up_sending() {
  if (!stuck_since_ || !open()) return;
  if (std::chrono::steady_clock::now() < *stuck_since_ + kSendWithin) return;
  stuck_since_.reset();
  spdlog::warn("NATS has not read for {} s: connecting again", kSendWithin.count());
  // nats.c finds it broken in the next turn.
  shutdown(socket_.load(std::memory_order_acquire), SHUT_RDWR);
}

Result<void> NatsLink::publish(const std::string& subject, const std::string& reply,
                               std::string_view payload, const std::vector<NatsHeader>& headers) {
  if (!open()) return fail(ErrorCode::kBusUnavailable, "not connected to NATS");
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

Result<NatsSubscription> NatsLink::subscribe(const std::string& subject, const std::string& group) {
  natsSubscription* made = nullptr;
  const natsStatus s =
      group.empty()
          ? natsConnection_SubscribeSync(&made, connection_, subject.c_str())
          : natsConnection_QueueSubscribeSync(&made, connection_, subject.c_str(), group.c_str());
  if (s != NATS_OK) {
    return fail(ErrorCode::kBusUnavailable,
                fmt::format("cannot subscribe: {}", natsStatus_GetText(s)));
  }
  return NatsSubscription(made, &natsSubscription_Destroy);
}

std::vector<std::string> NatsLink::discovered() const {
  char** urls = nullptr;
  int count = 0;
  if (natsConnection_GetDiscoveredServers(connection_, &urls, &count) != NATS_OK) return {};
  const std::unique_ptr<char*, decltype(&std::free)> array(urls, &std::free);
  std::vector<std::string> result;
  for (int i = 0; i < count; ++i) {
    const std::unique_ptr<char, decltype(&std::free)> url(urls[i], &std::free);
    result.emplace_back(url.get());
  }
  return result;
}

void NatsLink::on_error(natsConnection*, natsSubscription*, natsStatus error, void*) {
  spdlog::warn("NATS: {}", natsStatus_GetText(error));
}

void NatsLink::on_closed(natsConnection*, void* self) {
  auto* link = static_cast<NatsLink*>(self);
  link->lost_.store(true, std::memory_order_release);
  if (!link->closing_.load(std::memory_order_acquire)) link->owner_.lost();
  // nats.c's last word: close() waits for it.
  const MutexLock lock(link->closed_mutex_);
  link->closed_ = true;
  link->closed_told_.notify_all();
}

}  // namespace toolway::bus
