#include "gateway/live_hub.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway {
namespace {

constexpr std::chrono::seconds kLinger{30};

class LiveLetter final : public Letter {
 public:
  LiveLetter(LiveHub& hub, const bus::LiveMessage& message)
      : hub_(hub),
        subject_(message.subject),
        payload_(message.payload),
        sequence_(message.sequence) {}
  void open() override { hub_.deliver(subject_, payload_, sequence_); }

 private:
  LiveHub& hub_;
  std::string subject_;
  std::string payload_;
  std::uint64_t sequence_;
};

}  // namespace

LiveLease::LiveLease(LiveHub& hub, std::string shard, std::string name, LiveSink& sink)
    : hub_(&hub), sink_(&sink), shard_(std::move(shard)), name_(std::move(name)) {}

LiveLease& LiveLease::operator=(LiveLease&& other) noexcept {
  if (this == &other) return *this;
  release();
  hub_ = std::exchange(other.hub_, nullptr);
  sink_ = other.sink_;
  shard_ = std::move(other.shard_);
  name_ = std::move(other.name_);
  return *this;
}

void LiveLease::release() {
  if (LiveHub* hub = std::exchange(hub_, nullptr)) hub->release(shard_, name_, sink_);
}

LiveHub::LiveHub(bus::Bus& bus, std::shared_ptr<Mailbox> mailbox)
    : bus_(bus), mailbox_(std::move(mailbox)) {}

LiveHub::~LiveHub() { subscriber_.join(); }

Task<Result<LiveLease>> LiveHub::follow_session(SessionKey session, LiveSink& sink) {
  std::string name = session.text();
  return follow(std::move(session), std::move(name), sink);
}

Task<Result<LiveLease>> LiveHub::follow_call(SessionKey session, CallId call, LiveSink& sink) {
  return follow(std::move(session), call.text(), sink);
}

Task<Result<LiveLease>> LiveHub::follow(SessionKey session, std::string name, LiveSink& sink) {
  const std::string shard_name(session.shard());
  ++shards_[shard_name].users;
  sinks_[name].push_back(&sink);
  LiveLease lease(*this, shard_name, std::move(name), sink);
  while (!shards_[shard_name].subscription) {
    if (shards_[shard_name].subscribing) {
      Timer turn(mailbox_->executor(), Timer::time_point::max());
      shards_[shard_name].waiting.push_back(&turn);
      co_await wait_on(turn);
      if (!shards_[shard_name].subscription) {
        co_return fail(ErrorCode::kBusUnavailable, "live events cannot be followed now");
      }
      break;
    }
    auto done = co_await subscribe(shard_name);
    if (!done) co_return fail(std::move(done.error()));
  }
  co_return lease;
}

Task<Result<void>> LiveHub::subscribe(std::string name) {
  shards_[name].subscribing = true;
  auto start = [this, name](auto callback) {
    asio::post(subscriber_, [this, name, callback = std::move(callback)] {
      auto subscription = bus_.follow(
          proto::live_filter(name), [this, mailbox = mailbox_](const bus::LiveMessage& message) {
            mailbox->post(std::make_shared<LiveLetter>(*this, message));
          });
      if (!subscription) return callback(fail(std::move(subscription.error())));
      callback(std::shared_ptr<bus::Subscription>(std::move(*subscription)));
    });
  };
  auto subscription =
      co_await await_callback<std::shared_ptr<bus::Subscription>>(mailbox_, std::move(start));
  Shard& shard = shards_[name];
  shard.subscribing = false;
  if (subscription) shard.subscription = std::move(*subscription);
  for (Timer* turn : std::exchange(shard.waiting, {})) turn->cancel();
  if (!subscription) co_return fail(std::move(subscription.error()));
  co_return Result<void>();
}

void LiveHub::release(const std::string& shard, const std::string& name, LiveSink* sink) {
  if (const auto found = sinks_.find(name); found != sinks_.end()) {
    auto& sinks = found->second;
    sinks.erase(std::remove(sinks.begin(), sinks.end(), sink), sinks.end());
    if (sinks.empty()) sinks_.erase(found);
  }
  Shard& used = shards_[shard];
  if (--used.users == 0) used.unused_since = std::chrono::steady_clock::now();
}

void LiveHub::sweep(std::chrono::steady_clock::time_point now) {
  for (auto it = shards_.begin(); it != shards_.end();) {
    Shard& shard = it->second;
    if (shard.users > 0 || shard.subscribing || now - shard.unused_since < kLinger) {
      ++it;
      continue;
    }
    // Ending a subscription waits for its handlers: not here.
    asio::post(subscriber_, [ended = std::move(shard.subscription)]() mutable { ended.reset(); });
    it = shards_.erase(it);
  }
}

void LiveHub::connection_changed(bus::Connection state) {
  for (const auto& [name, sinks] : sinks_) {
    for (LiveSink* sink : sinks) sink->on_connection(state);
  }
}

void LiveHub::deliver(std::string_view subject, std::string_view payload, std::uint64_t sequence) {
  // live.<shard:3>.<session:32>.<call:36>, checked by its length: the server made it.
  constexpr std::size_t kSessionAt = 9;
  constexpr std::size_t kCallAt = kSessionAt + SessionKey::kLength + 1;
  if (subject.size() != kCallAt + CallId::kLength) return;
  const auto by_session = sinks_.find(subject.substr(kSessionAt, SessionKey::kLength));
  const auto by_call = sinks_.find(subject.substr(kCallAt));
  if (by_session == sinks_.end() && by_call == sinks_.end()) return;
  auto event = proto::decode_event(payload);
  if (!event) {
    spdlog::warn("live event {} cannot be read: {}", sequence, event.error().message);
    return;
  }
  const auto live =
      std::make_shared<const LiveEvent>(LiveEvent{std::move(*event), sequence, payload.size()});
  if (by_session != sinks_.end()) {
    for (LiveSink* sink : by_session->second) sink->on_live(live);
  }
  if (by_call != sinks_.end()) {
    for (LiveSink* sink : by_call->second) sink->on_live(live);
  }
}

}  // namespace toolway::gateway
