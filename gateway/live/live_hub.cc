#include "gateway/live/live_hub.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "base/try.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::gateway::live {
namespace {

constexpr std::chrono::seconds kLinger{30};

}  // namespace

LiveLease::LiveLease(LiveHub& hub, std::string name, LiveSink& sink)
    : hub_(&hub), sink_(&sink), name_(std::move(name)) {}

LiveLease& LiveLease::operator=(LiveLease&& other) noexcept {
  if (this == &other) return *this;
  release();
  hub_ = std::exchange(other.hub_, nullptr);
  sink_ = other.sink_;
  name_ = std::move(other.name_);
  return *this;
}

void LiveLease::release() {
  if (LiveHub* hub = std::exchange(hub_, nullptr)) hub->release(name_, sink_);
}

LiveHub::LiveHub(bus::Bus& bus, std::shared_ptr<loop::IoPost> io_post, const Clock& clock)
    : bus_(bus),
      io_post_(std::move(io_post)),
      clock_(clock),
      order_([this](std::string_view subject, std::string_view payload, std::uint64_t sequence) {
        deliver(subject, payload, sequence);
      }),
      followers_(std::make_shared<LiveFollowers>(io_post_->executor())) {}

LiveHub::~LiveHub() { subscriber_.join(); }

loop::Task<Result<LiveLease>> LiveHub::follow_session(SessionKey session, LiveSink& sink) {
  return follow(session.text(), sink);
}

loop::Task<Result<LiveLease>> LiveHub::follow_call(CallId call, LiveSink& sink) {
  return follow(call.text(), sink);
}

loop::Task<Result<LiveLease>> LiveHub::follow(std::string name, LiveSink& sink) {
  ++users_;
  followers_->add(name, sink);
  LiveLease lease(*this, std::move(name), sink);
  while (!subscription_) {
    if (subscribing_) {
      loop::Timer turn(io_post_->executor(), loop::Timer::time_point::max());
      waiting_.push_back(&turn);
      co_await loop::wait_on(turn);
      if (!subscription_) {
        co_return fail(ErrorCode::kBusUnavailable, "live events cannot be followed now");
      }
      break;
    }
    auto done = co_await subscribe();
    CO_RETURN_IF_ERROR(done);
  }
  co_return lease;
}

loop::Task<Result<void>> LiveHub::subscribe() {
  subscribing_ = true;
  order_.hold();
  auto start = [this](auto callback) {
    asio::post(subscriber_, [this, callback = std::move(callback)] {
      auto subscription = bus_.follow(
          std::string(proto::kLiveFilter),
          [this, io_post = io_post_](const bus::LiveMessage& message) {
            if (io_post->here())
              return order_.add(message.subject, message.payload, message.sequence);
            io_post->post([this, subject = std::string(message.subject),
                           payload = std::string(message.payload), sequence = message.sequence] {
              order_.add(subject, payload, sequence);
            });
          });
      if (!subscription) return callback(fail(std::move(subscription.error())));
      callback(std::shared_ptr<bus::Subscription>(std::move(*subscription)));
    });
  };
  auto subscription =
      co_await loop::await_callback<std::shared_ptr<bus::Subscription>>(io_post_, std::move(start));
  Result<void> done;
  if (!subscription) {
    done = fail(std::move(subscription.error()));
  } else if (done = co_await find_beginning(); done) {
    subscription_ = std::move(*subscription);
  } else {
    // Ending a subscription waits for its handlers: not here.
    asio::post(subscriber_, [ended = std::move(*subscription)]() mutable { ended.reset(); });
  }
  subscribing_ = false;
  for (loop::Timer* turn : std::exchange(waiting_, {})) turn->cancel();
  co_return done;
}

/// Everything stored so far is in the record, and followers read it from there
/// after this; everything later comes live.
loop::Task<Result<void>> LiveHub::find_beginning() {
  auto start = [this](auto callback) {
    bus_.stream_state(proto::kEventsStream,
                      [callback = std::move(callback)](Result<bus::StreamState> state) {
                        callback(std::move(state));
                      });
  };
  CO_ASSIGN_OR_RETURN(auto state,
                      co_await loop::await_callback<bus::StreamState>(io_post_, std::move(start)));
  order_.begin_after(state.last_sequence);
  co_return Result<void>();
}

loop::Task<void> LiveHub::begin_again(bus::Connection state) {
  order_.hold();
  if (std::exchange(beginning_again_, true)) co_return;
  for (;;) {
    const auto found = co_await find_beginning();
    if (found || found.error().code == ErrorCode::kShuttingDown) break;
    co_await loop::pause(LiveOrder::kRetryDelay);
  }
  beginning_again_ = false;
  followers_->tell_all(state);
}

void LiveHub::release(const std::string& name, LiveSink* sink) {
  followers_->remove(name, sink);
  if (--users_ == 0) unused_since_ = clock_.monotonic();
}

void LiveHub::sweep(MonotonicTime now) {
  if (subscription_ && users_ == 0 && !subscribing_ && !beginning_again_ &&
      now - unused_since_ >= kLinger) {
    asio::post(subscriber_, [ended = std::move(subscription_)]() mutable { ended.reset(); });
    subscription_.reset();
    return;
  }
  if (!subscription_ || beginning_again_) return;
  if (order_.lost(now) || std::exchange(dropped_, false))
    asio::co_spawn(io_post_->executor(), begin_again(bus::Connection::kGap), asio::detached);
}

void LiveHub::connection_changed(bus::Connection state) {
  if (state == bus::Connection::kDisconnected || !subscription_) return followers_->tell_all(state);
  asio::co_spawn(io_post_->executor(), begin_again(state), asio::detached);
}

void LiveHub::deliver(std::string_view subject, std::string_view payload, std::uint64_t sequence) {
  // live.<shard:3>.<session:32>.<call:36>, checked by its length: the server made it.
  constexpr std::size_t kSessionAt = 9;
  constexpr std::size_t kCallAt = kSessionAt + SessionKey::kLength + 1;
  if (subject.size() != kCallAt + CallId::kLength) return;
  const auto session = subject.substr(kSessionAt, SessionKey::kLength);
  const auto call = subject.substr(kCallAt);
  if (!followers_->has(session) && !followers_->has(call)) return;
  auto event = proto::decode_event(payload);
  if (!event) {
    spdlog::warn("live event {} cannot be read: {}", sequence, event.error().message);
    return;
  }
  const auto live =
      std::make_shared<const LiveEvent>(LiveEvent{std::move(*event), sequence, payload.size()});
  const bool told = followers_->tell(session, live);
  if (!followers_->tell(call, live) || !told) dropped_ = true;
}

}  // namespace toolway::gateway::live
