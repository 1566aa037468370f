#include "cli/bench/measures/floor.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <semaphore>
#include <set>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "base/try.h"
#include "bus/answer.h"
#include "bus/jetstream_bus.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::cli::bench::measures {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kPool = "floor";

v1::CallRequest call_of(const SessionKey& session, const CallId& id, const std::string& payload,
                        WallTime now) {
  v1::CallRequest call;
  call.set_call_id(id.text());
  call.set_tenant_id("default");
  call.set_user_id("bench");
  call.set_session_key(session.text());
  call.set_session_id("floor-" + session.text().substr(0, 8));
  call.mutable_labels()->set_tool("echo");
  call.mutable_labels()->set_namespace_("bench");
  call.mutable_labels()->set_topic("Echo");
  call.set_pool(kPool);
  call.set_arguments(payload);
  call.set_submitted_at_us(to_unix_us(now));
  return call;
}

v1::CallEvent event_of(const v1::CallRequest& call, unsigned seq, WallTime now) {
  v1::CallEvent event;
  event.set_call_id(call.call_id());
  event.set_tenant_id(call.tenant_id());
  event.set_user_id(call.user_id());
  event.set_session_key(call.session_key());
  event.set_session_id(call.session_id());
  *event.mutable_labels() = call.labels();
  event.set_attempt(1);
  event.set_seq(seq);
  event.set_time_us(to_unix_us(now));
  event.set_worker_id("floor");
  event.set_submitted_at_us(call.submitted_at_us());
  return event;
}

/// The worker's side: the events of a call, chained, then the ack.
class FloorWorker {
 public:
  FloorWorker(bus::Bus& bus, bool two_events) : bus_(bus), two_events_(two_events) {}
  /// Takes no more, and waits for the answers to what it has published, which must still find it.
  ~FloorWorker() {
    MutexLock lock(mutex_);
    stopping_ = true;
    settled_.wait(lock, [this]() REQUIRES(mutex_) { return held_ == 0; });
    lock.unlock();
    consumer_.reset();
  }
  FloorWorker(const FloorWorker&) = delete;
  FloorWorker& operator=(const FloorWorker&) = delete;

  void start(unsigned allowed) {
    consumer_ = bus_.pull({.stream = std::string(proto::kCallsStream),
                           .name = proto::call_durable(kPool, proto::Lane::kNormal, 0)},
                          [this](bus::Delivery delivery) { take(std::move(delivery)); });
    consumer_->allow(allowed);
  }
  std::uint64_t failures() const { return failures_; }

 private:
  struct Held {
    bus::Delivery delivery;
    v1::CallRequest call;
    std::string subject;
  };

  bool hold() {
    const MutexLock lock(mutex_);
    held_ += stopping_ ? 0 : 1;
    return !stopping_;
  }

  void settle() {
    const MutexLock lock(mutex_);
    if (!stopping_) consumer_->allow(1);
    if (--held_ == 0) settled_.notify_all();
  }

  void take(bus::Delivery delivery) {
    if (!hold()) return;
    auto call = proto::decode_call(delivery.payload);
    if (!call) {
      ++failures_;
      delivery.term();
      return settle();
    }
    const auto session = SessionKey::parse(call->session_key());
    const auto id = CallId::parse(call->call_id());
    auto held = std::make_shared<Held>(
        Held{std::move(delivery), std::move(*call), proto::event_subject(*session, *id)});
    if (!two_events_) return complete(std::move(held), 0, 1);
    auto started = event_of(held->call, 1, clock_.wall());
    started.mutable_started()->set_started_at_us(started.time_us());
    bus_.publish({.subject = held->subject, .payload = proto::encode(started), .expected_last = 0},
                 [this, held](Result<bus::PubAck> ack) {
                   if (ack) return complete(held, ack->sequence, 2);
                   ++failures_;
                   held->delivery.term();
                   settle();
                 });
  }

  void complete(std::shared_ptr<Held> held, std::uint64_t last, unsigned seq) {
    auto event = event_of(held->call, seq, clock_.wall());
    auto& completed = *event.mutable_completed();
    completed.set_outcome(v1::OUTCOME_SUCCEEDED);
    completed.set_result(held->call.arguments());
    completed.set_started_at_us(event.time_us());
    completed.set_merged_start(seq == 1);
    bus_.publish({.subject = held->subject, .payload = proto::encode(event), .expected_last = last},
                 [this, held](const Result<bus::PubAck>& ack) {
                   if (!ack) ++failures_;
                   held->delivery.ack();
                   settle();
                 });
  }

  bus::Bus& bus_;
  const SystemClock clock_;
  const bool two_events_;
  std::atomic<std::uint64_t> failures_{0};
  Mutex mutex_;
  CondVar settled_;
  std::size_t held_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::unique_ptr<bus::PullConsumer> consumer_;
};

/// Until the collector has acknowledged, that is committed, everything stored so far.
Result<void> wait_until_recorded(bus::Bus& bus) {
  for (const auto stream : {proto::kCallsStream, proto::kEventsStream}) {
    ASSIGN_OR_RETURN(auto state, bus::answer_of<bus::StreamState>(
                                     [&](auto handler) { bus.stream_state(stream, handler); }));
    const auto deadline = Steady::now() + seconds(60);
    for (;;) {
      auto consumer = bus::answer_of<bus::ConsumerState>([&](auto handler) {
        bus.consumer_state(
            {.stream = std::string(stream), .name = std::string(proto::kCollectorDurable)},
            handler);
      });
      RETURN_IF_ERROR(consumer);
      if (consumer->ack_floor >= state.last_sequence) break;
      if (Steady::now() > deadline)
        return fail(ErrorCode::kTimeout,
                    fmt::format("the collector did not reach the end of {}", stream));
      std::this_thread::sleep_for(milliseconds(10));
    }
  }
  return {};
}

using Subscriptions = std::vector<std::unique_ptr<bus::Subscription>>;

/// Calls `on_event` at each live event of the sessions.
Result<Subscriptions> follow(bus::Bus& bus, const std::vector<SessionKey>& sessions,
                             const std::function<void()>& on_event) {
  std::set<std::string> shards;
  for (const auto& session : sessions) shards.emplace(session.shard());
  Subscriptions following;
  for (const auto& shard : shards) {
    auto followed =
        bus.follow(proto::live_filter(shard), [on_event](const bus::LiveMessage& message) {
          if (proto::parse_event_subject(message.subject)) on_event();
        });
    RETURN_IF_ERROR(followed);
    following.push_back(std::move(*followed));
  }
  return following;
}

using Buses = std::array<std::unique_ptr<bus::Bus>, 3>;

/// The publisher's, which has made the streams and found them recorded; the worker's; the
/// follower's.
Result<Buses> connect(const std::string& nats) {
  Buses buses;
  for (auto& bus : buses) {
    ASSIGN_OR_RETURN(bus, bus::connect_jetstream({.url = nats, .name = "toolway-floor"}));
  }
  bus::Layout layout;
  layout.pools = {{.name = "native"}, {.name = kPool}};
  RETURN_IF_ERROR(buses[0]->provision(layout));
  RETURN_IF_ERROR(wait_until_recorded(*buses[0]));
  return buses;
}

}  // namespace

Result<FloorResult> measure_floor(const FloorOptions& options,
                                  const std::function<void(const std::string&)>& progress) {
  // Before the buses: the handlers that count in these run until their bus is gone.
  std::counting_semaphore<1 << 20> slots(options.in_flight);
  std::atomic<std::uint64_t> seen{0};
  std::atomic<std::uint64_t> failures{0};
  ASSIGN_OR_RETURN(auto connected, connect(options.nats));
  auto& buses = connected;
  auto& publisher = *buses[0];

  std::vector<SessionKey> sessions;
  for (unsigned i = 0; i < std::max(1U, options.sessions); ++i)
    sessions.push_back(SessionKey::make());
  const std::uint64_t events_per_call = options.two_events ? 2 : 1;
  auto following = follow(*buses[2], sessions, [&] {
    if (++seen % events_per_call == 0) slots.release();
  });
  RETURN_IF_ERROR(following);
  FloorWorker worker(*buses[1], options.two_events);
  worker.start(512);

  const SystemClock clock;
  const std::string payload =
      fmt::format("{{\"payload\":\"{}\"}}", std::string(options.payload, 'x'));
  const auto began = Steady::now();
  const auto stop_at = began + std::chrono::duration_cast<Steady::duration>(
                                   std::chrono::duration<double>(options.seconds));
  auto line_at = began + seconds(1);
  std::uint64_t published = 0;
  while (Steady::now() < stop_at) {
    if (!slots.try_acquire_for(seconds(5))) break;
    const auto& session = sessions[published % sessions.size()];
    const auto id = CallId::make(clock.wall());
    publisher.publish({.subject = proto::call_subject(kPool, proto::Lane::kNormal, 0, session),
                       .payload = proto::encode(call_of(session, id, payload, clock.wall())),
                       .message_id = proto::call_message_id(id, 0)},
                      [&](const Result<bus::PubAck>& ack) {
                        if (!ack) ++failures;
                      });
    ++published;
    if (Steady::now() < line_at) continue;
    line_at += seconds(1);
    progress(fmt::format("floor     {:>9} calls published, {:>9} seen completed", published,
                         seen / events_per_call));
  }
  const auto deadline = Steady::now() + seconds(20);
  while (seen < published * events_per_call && Steady::now() < deadline)
    std::this_thread::sleep_for(milliseconds(2));
  if (seen < published * events_per_call || failures != 0 || worker.failures() != 0)
    return fail(ErrorCode::kTimeout,
                fmt::format("floor: {} of {} calls seen completed, {} publications failed",
                            seen / events_per_call, published, failures + worker.failures()));
  RETURN_IF_ERROR(wait_until_recorded(publisher));
  const std::chrono::duration<double> took = Steady::now() - began;
  return FloorResult{.calls = published,
                     .calls_per_s = static_cast<double>(published) / took.count()};
}

}  // namespace toolway::cli::bench::measures
