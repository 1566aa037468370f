#include "cli/bench/measures/floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <initializer_list>
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
#include "cli/bench/figures/load_record.h"
#include "cli/bench/measures/threaded_nats.h"
#include "cli/stack/own_stack.h"
#include "proto/codec.h"
#include "proto/subjects.h"

namespace toolway::cli::bench::measures {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kPool = "floor";
/// Calls published and not seen completed, of a closed loop.
constexpr unsigned kInFlight = 512;

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
template <typename Way>
class FloorWorker {
 public:
  FloorWorker(typename Way::Bus& bus, bool two_events) : bus_(bus), two_events_(two_events) {}
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
                          [this](Delivery delivery) { take(std::move(delivery)); });
    consumer_->allow(allowed);
  }
  std::uint64_t failures() const { return failures_; }

 private:
  using Delivery = typename Way::Delivery;
  struct Held {
    Delivery delivery;
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

  void take(Delivery delivery) {
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

  typename Way::Bus& bus_;
  const SystemClock clock_;
  const bool two_events_;
  std::atomic<std::uint64_t> failures_{0};
  Mutex mutex_;
  CondVar settled_;
  std::size_t held_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::unique_ptr<typename Way::Pull> consumer_;
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

/// The messages over our bus, as the stack sends them.
struct OverLoop {
  using Bus = bus::Bus;
  using Delivery = bus::Delivery;
  using Pull = bus::PullConsumer;
  static constexpr const char* kName = "floor on a loop";
  static Result<std::unique_ptr<Bus>> connect(const std::string& nats) {
    return bus::connect_jetstream({.url = nats, .name = "toolway-floor"});
  }
};

/// The same messages over nats.c with its own threads.
struct OverThreads {
  using Bus = ThreadedNats;
  using Delivery = ThreadedNats::Delivery;
  using Pull = ThreadedNats::Pull;
  static constexpr const char* kName = "floor";
  static Result<std::unique_ptr<Bus>> connect(const std::string& nats) {
    return ThreadedNats::connect(nats);
  }
};

/// What the client's side has seen. Its handlers run on the follower's thread.
class Seen {
 public:
  Seen(const FloorOptions& options, unsigned slots)
      : per_call_(options.two_events ? 2 : 1), timed_(options.rate > 0), slots_(slots) {}

  void event(const bus::LiveMessage& message) {
    if (!proto::parse_event_subject(message.subject)) return;
    if (timed_) {
      time(message.payload);
    } else if ((events_ + 1) % per_call_ == 0) {
      slots_.release();
    }
    ++events_;  // last: who counts reads what was timed
  }
  /// False: no call was completed for 5 s.
  bool wait_for_slot() { return slots_.try_acquire_for(seconds(5)); }
  std::uint64_t calls() const { return events_ / per_call_; }
  /// After the last event. 0: nothing was timed.
  double percentile_ms(double share) {
    return static_cast<double>(figures::percentile(ms_, share));
  }

 private:
  /// From when the call was due.
  void time(std::string_view payload) {
    const auto event = proto::decode_event(payload);
    if (event && event->has_completed())
      ms_.push_back(static_cast<float>(to_unix_us(clock_.wall()) - event->submitted_at_us()) /
                    1e3F);
  }

  const SystemClock clock_;
  const std::uint64_t per_call_;
  const bool timed_;
  std::counting_semaphore<1 << 20> slots_;
  std::atomic<std::uint64_t> events_{0};
  std::vector<float> ms_;
};

/// Returns once the server knows what was subscribed: earlier events reach no follower. Its answer
/// comes after all that this connection has sent.
Result<void> reach_server(bus::Bus& bus) {
  RETURN_IF_ERROR(bus::answer_of<bus::StreamState>(
      [&](auto handler) { bus.stream_state(proto::kEventsStream, handler); }));
  return {};
}
Result<void> reach_server(ThreadedNats& nats) { return nats.reach_server(); }

/// Calls `seen` at each live event of the sessions, from its return on.
template <typename Bus>
Result<std::vector<std::unique_ptr<bus::Subscription>>> follow(
    Bus& bus, const std::vector<SessionKey>& sessions, Seen& seen) {
  std::set<std::string> shards;
  for (const auto& session : sessions) shards.emplace(session.shard());
  std::vector<std::unique_ptr<bus::Subscription>> following;
  for (const auto& shard : shards) {
    ASSIGN_OR_RETURN(auto followed,
                     bus.follow(proto::live_filter(shard),
                                [&seen](const bus::LiveMessage& message) { seen.event(message); }));
    following.push_back(std::move(followed));
  }
  RETURN_IF_ERROR(reach_server(bus));
  return following;
}

/// Publishes calls one after another until the time has passed: returns how many.
template <typename Bus>
std::uint64_t publish_calls(Bus& bus, const FloorOptions& options,
                            const std::vector<SessionKey>& sessions, Seen& seen,
                            std::atomic<std::uint64_t>& failures,
                            const std::function<void(std::uint64_t)>& progress) {
  const SystemClock clock;
  const std::string payload =
      fmt::format("{{\"payload\":\"{}\"}}", std::string(options.payload, 'x'));
  const auto began = clock.wall();
  const auto after = [&](double s) {
    return began + std::chrono::duration_cast<WallTime::duration>(std::chrono::duration<double>(s));
  };
  auto line_at = began + seconds(1);
  for (std::uint64_t published = 0;; ++published) {
    const auto now = clock.wall();
    const auto due = options.rate > 0 ? after(static_cast<double>(published) / options.rate) : now;
    if (due >= after(options.seconds)) return published;
    if (due > now) std::this_thread::sleep_for(due - now);
    if (options.rate == 0 && !seen.wait_for_slot()) return published;
    const auto& session = sessions[published % sessions.size()];
    const auto id = CallId::make(now);
    bus.publish({.subject = proto::call_subject(kPool, proto::Lane::kNormal, 0, session),
                 .payload = proto::encode(call_of(session, id, payload, due)),
                 .message_id = proto::call_message_id(id, 0)},
                [&failures](const Result<bus::PubAck>& ack) {
                  if (!ack) ++failures;
                });
    if (now < line_at) continue;
    line_at += seconds(1);
    progress(published);
  }
}

template <typename Way>
Result<FloorResult> measure(const std::string& nats, const FloorOptions& options,
                            const Progress& progress) {
  ASSIGN_OR_RETURN(auto control, OverLoop::connect(nats));
  bus::Layout layout;
  layout.pools = {{.name = "native"}, {.name = kPool}};
  RETURN_IF_ERROR(control->provision(layout));
  RETURN_IF_ERROR(wait_until_recorded(*control));

  std::vector<SessionKey> sessions;
  for (unsigned i = 0; i < std::max(1U, options.sessions); ++i)
    sessions.push_back(SessionKey::make());
  // Before the connections: the handlers that count in these run until theirs is gone.
  Seen seen(options, kInFlight);
  std::atomic<std::uint64_t> failures{0};
  ASSIGN_OR_RETURN(auto publisher, Way::connect(nats));
  ASSIGN_OR_RETURN(auto workers, Way::connect(nats));
  ASSIGN_OR_RETURN(auto followers, Way::connect(nats));
  ASSIGN_OR_RETURN(const auto following, follow(*followers, sessions, seen));
  FloorWorker<Way> worker(*workers, options.two_events);
  worker.start(kInFlight);

  const auto began = Steady::now();
  const auto published =
      publish_calls(*publisher, options, sessions, seen, failures, [&](std::uint64_t so_far) {
        progress(fmt::format("{:<15} {:>9} calls published, {:>9} seen completed", Way::kName,
                             so_far, seen.calls()));
      });
  const auto deadline = Steady::now() + seconds(20);
  while (seen.calls() < published && Steady::now() < deadline)
    std::this_thread::sleep_for(milliseconds(2));
  if (seen.calls() < published || failures != 0 || worker.failures() != 0)
    return fail(ErrorCode::kTimeout,
                fmt::format("{}: {} of {} calls seen completed, {} publications failed", Way::kName,
                            seen.calls(), published, failures + worker.failures()));
  RETURN_IF_ERROR(wait_until_recorded(*control));
  const std::chrono::duration<double> took = Steady::now() - began;
  return FloorResult{.calls_per_s = static_cast<double>(published) / took.count(),
                     .p50_ms = seen.percentile_ms(0.5),
                     .p99_ms = seen.percentile_ms(0.99)};
}

using Measure = Result<FloorResult> (*)(const std::string& nats, const FloorOptions& options,
                                        const Progress& progress);

/// A way to measure, and where its result goes.
struct Turn {
  Measure measure;
  FloorResult* result;
};

/// One after the other, on the same servers.
Result<void> take_turns(std::initializer_list<Turn> turns, const FloorOptions& options,
                        process::StopSignals& signals, const Progress& progress) {
  auto servers = options.servers;
  servers.gateways = servers.workers = 0;
  progress("starting servers for the floor");
  ASSIGN_OR_RETURN(const auto own, stack::OwnStack::start(std::move(servers), signals));
  for (const auto& turn : turns) {
    ASSIGN_OR_RETURN(*turn.result, turn.measure(own->stack().nats_url(), options, progress));
  }
  return {};
}

}  // namespace

Result<Floors> measure_floors(const FloorOptions& options, process::StopSignals& signals,
                              const Progress& progress,
                              const std::function<Result<void>()>& stack) {
  Floors floors;
  auto& [threads, loop] = floors;
  RETURN_IF_ERROR(
      take_turns({{measure<OverThreads>, &threads.before}, {measure<OverLoop>, &loop.before}},
                 options, signals, progress));
  RETURN_IF_ERROR(stack());
  RETURN_IF_ERROR(
      take_turns({{measure<OverLoop>, &loop.after}, {measure<OverThreads>, &threads.after}},
                 options, signals, progress));
  return floors;
}

}  // namespace toolway::cli::bench::measures
