#include "bus/jetstream_pull.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/contained.h"
#include "base/mutex.h"
#include "base/text.h"
#include "base/try.h"
#include "bus/jetstream_api.h"

namespace toolway::bus {
namespace {

template <typename Number>
std::optional<Number> to_number(std::string_view text) {
  Number number{};
  return parse_number(text, number) ? std::optional(number) : std::nullopt;
}

/// How long ending a pull waits for the server to confirm that nothing more comes.
constexpr std::chrono::milliseconds kDrainTimeout{2000};

MonotonicTime now() { return std::chrono::steady_clock::now(); }

}  // namespace

JetStreamPull::JetStreamPull(Puller& bus, NatsConnection& connection, Durable durable,
                             DeliveryHandler handler)
    : bus_(bus),
      connection_(connection),
      durable_(std::move(durable)),
      handler_(std::move(handler)),
      inbox_(connection.new_inbox() + "."),
      request_subject_(
          fmt::format("$JS.API.CONSUMER.MSG.NEXT.{}.{}", durable_.stream, durable_.name)) {}

Result<void> JetStreamPull::start() {
  // Alive as long as `this`: close() ends the subscription first.
  ASSIGN_OR_RETURN(subscription_, connection_.subscribe(inbox_ + "*", [this](NatsMessage message) {
    received(std::move(message));
  }));
  return {};
}

void JetStreamPull::allow(std::size_t count) {
  {
    const MutexLock lock(mutex_);
    ledger_.allow(count);
  }
  ask();
}

std::size_t JetStreamPull::withdraw(std::size_t count) {
  const MutexLock lock(mutex_);
  return ledger_.withdraw(count);
}

void JetStreamPull::stop() {
  const MutexLock lock(mutex_);
  stopped_ = true;
}

void JetStreamPull::close() {
  stop();
  // What the server has sent and no one settles would come again only after its ack_wait.
  if (subscription_ != nullptr) subscription_->drain(kDrainTimeout);
  subscription_.reset();
}

void JetStreamPull::tick() {
  {
    const MutexLock lock(mutex_);
    ledger_.tick(now());
  }
  ask();
}

void JetStreamPull::reconnected() {
  {
    const MutexLock lock(mutex_);
    ledger_.forget();
  }
  ask();
}

void JetStreamPull::received(NatsMessage message) {
  if (const std::string_view status = message.status(); !status.empty()) {
    ended(message, status);
    ask();
    return;
  }
  const auto about = api::parse_delivery_subject(message.reply());
  if (!about) {
    spdlog::error("dropped a message of {}: its reply subject is not that of a delivery",
                  durable_.name);
    return;
  }
  Delivery delivery(bus_, std::string(message.reply()));
  delivery.subject = message.subject();
  delivery.payload = message.data();
  delivery.sequence = about->stream_sequence;
  delivery.delivery_count = about->delivery_count;
  delivery.pending = about->pending;
  delivery.stored_at = from_unix_us(about->stored_at_ns / 1000);
  bool wanted = false;
  {
    const MutexLock lock(mutex_);
    wanted = ledger_.message(now()) && !stopped_;
  }
  if (wanted) {
    contained("a delivery", [&] { handler_(std::move(delivery)); });
  } else {
    delivery.nak(std::chrono::milliseconds(0));
  }
  ask();
}

void JetStreamPull::ended(const NatsMessage& message, std::string_view status) {
  const MutexLock lock(mutex_);
  if (status == "100") {
    ledger_.heartbeat(now());
    return;
  }
  // Without a subject no one keeps the stream's requests.
  const auto subject = message.subject();
  const auto id = subject.size() < inbox_.size()
                      ? std::nullopt
                      : to_number<std::uint64_t>(subject.substr(inbox_.size()));
  // 408: it expired. 404, 409, 503: no durable, deleted, too many waiting.
  const auto ending = status == "408" ? PullLedger::Ending::kExpired : PullLedger::Ending::kRefused;
  ledger_.ended(id.value_or(0), to_number<std::size_t>(message.header("Nats-Pending-Messages")),
                ending, now());
}

void JetStreamPull::ask() {
  // One lost here is noticed like one that the server loses: at the next tick.
  contained("a pull request", [this] {
    std::optional<PullLedger::Ask> wanted;
    {
      const MutexLock lock(mutex_);
      if (stopped_ || !connection_.connected()) return;
      wanted = ledger_.next(now());
    }
    if (!wanted) return;
    const auto sent = connection_.publish(
        request_subject_, fmt::format("{}{}", inbox_, wanted->id),
        api::pull_request(wanted->batch, PullLedger::kExpires, PullLedger::kHeartbeat), {});
    if (!sent) spdlog::debug("pull request of {} was not sent", durable_.name);
  });
}

}  // namespace toolway::bus
