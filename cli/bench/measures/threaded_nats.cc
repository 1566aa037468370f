#include "cli/bench/measures/threaded_nats.h"

#include <fmt/format.h>

#include <utility>

#include "base/ids.h"
#include "base/text.h"
#include "base/try.h"
#include "bus/jetstream_api.h"
#include "bus/nats_options.h"
#include "proto/subjects.h"

namespace toolway::cli::bench::measures {

class ThreadedNats::Listening final : public bus::Subscription {
 public:
  explicit Listening(Listener& listener) : listener_(listener) {}
  ~Listening() override {
    listener_.gate.close();
    natsSubscription_Unsubscribe(listener_.subscription);
  }

 private:
  Listener& listener_;  // which its connection keeps
};

Result<std::unique_ptr<ThreadedNats>> ThreadedNats::connect(const std::string& url) {
  std::unique_ptr<ThreadedNats> self(new ThreadedNats());
  const std::string inboxes = "_INBOX.toolway-floor." + random_hex(12);
  self->inbox_ = inboxes + ".";
  const auto options = bus::nats_options({.url = url, .name = "toolway-floor"}, inboxes);
  natsStatus s = options ? NATS_OK : options.error();
  if (s == NATS_OK) s = natsOptions_UseGlobalMessageDelivery(options->get(), true);
  if (s == NATS_OK)
    s = natsOptions_SetClosedCB(options->get(), &ThreadedNats::on_closed, self.get());
  if (s == NATS_OK) s = natsConnection_Connect(&self->connection_, options->get());
  if (s != NATS_OK)
    return fail(ErrorCode::kBusUnavailable,
                fmt::format("cannot connect to NATS: {}", natsStatus_GetText(s)));
  ASSIGN_OR_RETURN(self->acks_,
                   self->subscribe(self->inbox_ + "ack.*",
                                   [nats = self.get()](const auto& ack) { nats->answered(ack); }));
  return self;
}

ThreadedNats::~ThreadedNats() {
  acks_.reset();
  if (connection_ == nullptr) return;
  natsConnection_Close(connection_);
  MutexLock lock(mutex_);
  complete_.wait(lock, [this]() REQUIRES(mutex_) { return incomplete_ == 0 && closed_; });
  for (auto& listener : listeners_) natsSubscription_Destroy(listener.subscription);
  natsConnection_Destroy(connection_);
}

void ThreadedNats::publish(const bus::Publication& publication, bus::PublishHandler handler) {
  std::uint64_t token = 0;
  {
    const MutexLock lock(mutex_);
    token = ++last_token_;
    open_.emplace(token, std::move(handler));
  }
  natsMsg* created = nullptr;
  natsStatus s = natsMsg_Create(
      &created, publication.subject.c_str(), fmt::format("{}ack.{}", inbox_, token).c_str(),
      publication.payload.data(), static_cast<int>(publication.payload.size()));
  const bus::NatsMessage message(created);
  const auto header = [&](std::string_view name, const std::string& value) {
    if (s == NATS_OK) s = natsMsgHeader_Set(created, name.data(), value.c_str());
  };
  if (!publication.message_id.empty()) header(proto::kMessageIdHeader, publication.message_id);
  if (publication.expected_last)
    header(proto::kExpectedLastHeader, std::to_string(*publication.expected_last));
  if (s == NATS_OK) s = natsConnection_PublishMsg(connection_, created);
  if (s == NATS_OK) return;
  MutexLock lock(mutex_);
  const auto unsent = open_.extract(token);
  lock.unlock();
  if (!unsent.empty()) unsent.mapped()(fail(ErrorCode::kBusUnavailable, natsStatus_GetText(s)));
}

void ThreadedNats::answered(const bus::NatsMessage& ack) {
  const auto subject = ack.subject();
  std::uint64_t token = 0;
  if (!parse_number(subject.substr(subject.rfind('.') + 1), token)) return;
  MutexLock lock(mutex_);
  const auto answered = open_.extract(token);
  lock.unlock();
  if (!answered.empty()) answered.mapped()(bus::api::parse_pub_ack(ack.data()));
}

std::unique_ptr<ThreadedNats::Pull> ThreadedNats::pull(const bus::Durable& durable,
                                                       std::function<void(Delivery)> handler) {
  return std::make_unique<Pull>(*this, durable, std::move(handler));
}

Result<std::unique_ptr<bus::Subscription>> ThreadedNats::follow(const std::string& filter,
                                                                bus::LiveHandler handler) {
  return subscribe(filter, [handler = std::move(handler)](const bus::NatsMessage& message) {
    handler({.subject = message.subject(), .payload = message.data()});
  });
}

Result<void> ThreadedNats::reach_server() {
  const natsStatus s = natsConnection_FlushTimeout(connection_, 10'000);
  if (s == NATS_OK) return {};
  return fail(ErrorCode::kBusUnavailable, natsStatus_GetText(s));
}

Result<std::unique_ptr<bus::Subscription>> ThreadedNats::subscribe(const std::string& subject,
                                                                   Handler handler) {
  Listener* listener = nullptr;
  {
    const MutexLock lock(mutex_);
    listener = &listeners_.emplace_back();
    ++incomplete_;
  }
  listener->nats = this;
  listener->handler = std::move(handler);
  natsStatus s = natsConnection_Subscribe(&listener->subscription, connection_, subject.c_str(),
                                          &ThreadedNats::on_message, listener);
  if (s == NATS_OK)
    s = natsSubscription_SetOnCompleteCB(listener->subscription, &ThreadedNats::on_complete,
                                         listener);
  if (s == NATS_OK) return std::make_unique<Listening>(*listener);
  on_complete(listener);  // nats.c will not
  return fail(ErrorCode::kBusUnavailable,
              fmt::format("cannot subscribe: {}", natsStatus_GetText(s)));
}

bool ThreadedNats::send(const std::string& subject, const std::string& reply,
                        const std::string& text) {
  return natsConnection_PublishRequest(connection_, subject.c_str(),
                                       reply.empty() ? nullptr : reply.c_str(), text.data(),
                                       static_cast<int>(text.size())) == NATS_OK;
}

void ThreadedNats::settle(const std::string& reply, bus::SettleKind how) {
  // One that is lost: the message comes again.
  natsConnection_PublishString(connection_, reply.c_str(),
                               bus::api::settlement_text({.kind = how}).c_str());
}

void ThreadedNats::on_message(natsConnection*, natsSubscription*, natsMsg* message,
                              void* listener) {
  auto& heard = *static_cast<Listener*>(listener);
  bus::NatsMessage owned(message);
  heard.gate.run([&] { heard.handler(std::move(owned)); });
}

void ThreadedNats::on_complete(void* listener) {
  auto& nats = *static_cast<Listener*>(listener)->nats;
  const MutexLock lock(nats.mutex_);
  --nats.incomplete_;
  nats.complete_.notify_all();
}

void ThreadedNats::on_closed(natsConnection*, void* self) {
  auto& nats = *static_cast<ThreadedNats*>(self);
  MutexLock lock(nats.mutex_);
  const auto open = std::exchange(nats.open_, {});
  lock.unlock();
  for (const auto& [token, handler] : open)
    handler(fail(ErrorCode::kBusUnavailable, "the connection to NATS was closed"));
  lock.lock();
  nats.closed_ = true;
  nats.complete_.notify_all();
}

ThreadedNats::Pull::Pull(ThreadedNats& nats, const bus::Durable& durable,
                         std::function<void(Delivery)> handler)
    : nats_(nats),
      inbox_(fmt::format("{}pull.{}.", nats.inbox_, random_hex(4))),
      request_(fmt::format("$JS.API.CONSUMER.MSG.NEXT.{}.{}", durable.stream, durable.name)),
      handler_(std::move(handler)) {
  auto heard =
      nats_.subscribe(inbox_ + "*", [this](const bus::NatsMessage& message) { received(message); });
  if (heard)
    subscription_ = std::move(*heard);  // else the floor sees no call completed, and says so
}

void ThreadedNats::Pull::allow(std::size_t count) {
  {
    const MutexLock lock(mutex_);
    ledger_.allow(count);
  }
  ask();
}

void ThreadedNats::Pull::received(const bus::NatsMessage& message) {
  const auto status = message.status();
  const auto now = clock_.monotonic();
  if (status.empty()) {
    {
      const MutexLock lock(mutex_);
      ledger_.message(now);
    }
    handler_({nats_, std::string(message.data()), std::string(message.reply())});
  } else if (status != "100") {
    std::uint64_t id = 0;
    std::size_t left = 0;
    const bool told = parse_number(message.header("Nats-Pending-Messages"), left);
    parse_number(message.subject().substr(inbox_.size()), id);
    const MutexLock lock(mutex_);
    ledger_.ended(
        id, told ? std::optional(left) : std::nullopt,
        status == "408" ? bus::PullLedger::Ending::kExpired : bus::PullLedger::Ending::kRefused,
        now);
  }
  ask();
}

void ThreadedNats::Pull::ask() {
  std::optional<bus::PullLedger::Ask> wanted;
  {
    const MutexLock lock(mutex_);
    const auto now = clock_.monotonic();
    ledger_.tick(now);
    wanted = ledger_.next(now);
  }
  if (wanted)
    nats_.send(request_, fmt::format("{}{}", inbox_, wanted->id),
               bus::api::pull_request(wanted->batch, bus::PullLedger::kExpires,
                                      bus::PullLedger::kHeartbeat));
}

}  // namespace toolway::cli::bench::measures
