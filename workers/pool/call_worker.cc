#include "workers/pool/call_worker.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <new>

#include "base/all_at_once.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "base/try.h"
#include "monitoring/metric_names.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::workers {
namespace {

/// Until a call whose spec could not be read, or for which there was no memory, comes again.
constexpr std::chrono::seconds kSpecRetry{1};

}  // namespace

class CallWorker::Drain final : public Timed {
 public:
  explicit Drain(CallWorker& worker) : worker_(worker) {}

  void on_time(MonotonicTime now) override {
    const auto calls = worker_.held_calls();
    if (calls.empty()) return;
    if (!stopped_) {
      stopped_ = true;
      for (const auto& call : calls) call->stop_for_drain();
      // After the grace of the calls themselves, which are scheduled before this.
      worker_.station_->timer.schedule(now + worker_.station_->options.cancel_grace,
                                       worker_.drain_);
      return;
    }
    for (const auto& call : calls) call->give_back();
  }
  bool over() const override { return false; }

 private:
  CallWorker& worker_;
  bool stopped_ = false;
};

CallWorker::CallWorker(bus::Bus& bus, monitoring::Metrics& metrics, WorkerTools tools,
                       const Clock& clock, WorkerOptions options,
                       std::shared_ptr<Executor> executor)
    : station_(std::make_shared<Station>(bus, metrics, std::move(tools), clock, std::move(options),
                                         std::move(executor))),
      specs_(bus, std::string(proto::kSpecsBucket)),
      slots_used_(metrics.gauge(monitoring::kSlotsUsed, "pool", station_->options.pool)),
      hanging_gauge_(metrics.gauge(monitoring::kAbandoned, "pool", station_->options.pool)),
      paused_gauge_(metrics.gauge(monitoring::kPaused, "pool", station_->options.pool)),
      shares_(station_->options.slots),
      started_at_us_(to_unix_us(clock.wall())) {
  metrics.gauge(monitoring::kSlots, "pool", station_->options.pool)
      .set(static_cast<double>(station_->options.slots));
  metrics.counter(monitoring::kTakeovers).add(0);
  station_->released = [this](const HeldCall& call) { released(call); };
  station_->hanging = [this](int change) { hanging(change); };
}

Result<std::unique_ptr<CallWorker>> CallWorker::start(bus::Bus& bus, monitoring::Metrics& metrics,
                                                      WorkerTools tools, const Clock& clock,
                                                      WorkerOptions options, Drive drive) {
  if (options.slots == 0) {
    return fail(ErrorCode::kInvalidRequest, "a worker needs at least one slot");
  }
  if (options.worker_id.empty()) options.worker_id = random_hex(16);
  if (!proto::valid_worker_id(options.worker_id)) {
    return fail(
        ErrorCode::kInvalidIdentifier,
        fmt::format(
            "worker id '{}' is not of the form [A-Za-z0-9_-]{{1,64}}: it is part of subjects",
            options.worker_id));
  }
  auto worker = std::unique_ptr<CallWorker>(new CallWorker(
      bus, metrics, std::move(tools), clock, std::move(options), std::move(drive.executor)));
  auto control = bus.serve(proto::control_subject(worker->station_->options.worker_id), "",
                           [raw = worker.get(), station = worker->station_](bus::Request request) {
                             const Inside inside(station->gate);
                             if (inside) raw->serve_control(std::move(request));
                           });
  RETURN_IF_ERROR(control);
  worker->control_ = std::move(*control);
  worker->connection_ = bus.on_connection([station = worker->station_](bus::Connection state) {
    const Inside inside(station->gate);
    if (inside && state == bus::Connection::kConnected)
      station->steadiness.connected(station->clock.monotonic());
  });
  if (drive.time == TimePasses::kByItself) worker->station_->timer.start();
  worker->watch_switches();
  // The one queue that every pool has; the others are found by the first turns.
  worker->pull(proto::call_durable(worker->station_->options.pool, proto::Lane::kNormal, 0),
               proto::Lane::kNormal);
  worker->begin_turns();
  return worker;
}

void CallWorker::watch_switches() {
  auto changed = [this, weak = std::weak_ptr(station_)] {
    const auto station = weak.lock();
    if (!station) return;
    const Inside inside(station->gate);
    if (inside) switches_changed();
  };
  auto board = std::make_unique<bus::SwitchBoard>(station_->bus, std::move(changed));
  const MutexLock lock(mutex_);
  station_->switches = std::move(board);
}

/// The first time, pulling begins.
void CallWorker::switches_changed() {
  Asks asks;
  {
    const MutexLock lock(mutex_);
    if (!station_->switches)
      return;  // its first answer came before it was set: the first pull asks
    asks = next_asks();
  }
  ask(asks);
}

CallWorker::~CallWorker() {
  control_.reset();
  connection_.reset();
  // Before the consumers: its thread may be about to pull from another queue.
  station_->timer.stop();
  for (const auto& consumer : consumers_) consumer->stop();
  station_->gate.close();
  // Each takes up to 2 s when NATS does not answer.
  all_at_once(consumers_, [](auto& consumer) { consumer.reset(); });
  consumers_.clear();
  station_->switches.reset();
  for (const auto& call : held_calls()) call->forget();
  station_->executor->stop(station_->options.cancel_grace);
}

CallWorker::Asks CallWorker::next_asks() {
  // Before the switches are known nothing may be started.
  if (draining_ || paused_ || !station_->switches->known()) return {};
  // What waits here for a thread could run elsewhere; the next turn asks again.
  if (station_->executor->starved()) return {};
  return shares_.ask();
}

void CallWorker::ask(const Asks& asks) {
  for (const auto& one : asks) {
    std::shared_ptr<bus::PullConsumer> consumer;
    {
      const MutexLock lock(mutex_);
      consumer = consumers_[one.queue];
    }
    if (consumer) consumer->allow(one.count);  // null: the queue has disappeared since
  }
}

void CallWorker::received(std::size_t queue, bus::Delivery delivery) {
  auto request = proto::decode_call(delivery.payload);
  const std::uint64_t pending = delivery.pending;
  if (!request) {
    spdlog::error("set aside a message on {} that is not a call: {}", delivery.subject,
                  request.error().message);
    delivery.term();
    return dropped(queue, pending);
  }
  delivery.payload = {};  // decoded: no need to keep it twice
  if (const auto tool = station_->tools.find(*request)) {
    return hold(std::move(delivery), std::move(*request), tool, {Slot::kToTake, queue});
  }
  {
    const MutexLock lock(mutex_);
    if (!draining_ && shares_.take(queue, pending)) {
      slots_used_.set(static_cast<double>(shares_.held()));
    } else {
      delivery.nak(std::chrono::milliseconds(0));
      return;
    }
  }
  fetch_spec(std::move(delivery), std::move(*request));
}

/// What was delivered no longer needs a slot.
void CallWorker::dropped(std::size_t queue, std::uint64_t pending) {
  Asks asks;
  {
    const MutexLock lock(mutex_);
    if (shares_.take(queue, pending)) shares_.release();
    asks = next_asks();
  }
  ask(asks);
}

void CallWorker::fetch_spec(bus::Delivery delivery, v1::CallRequest request) {
  const auto key = proto::spec_bucket_key(request.spec_digest());
  if (!key) {
    const auto tool = station_->tools.learn(
        request, fail(ErrorCode::kSpecUnavailable, "the call does not name its spec by digest"));
    return hold(std::move(delivery), std::move(request), tool, {});
  }
  auto held = std::make_shared<Fetching>(Fetching{std::move(delivery), std::move(request)});
  specs_.get(*key, [this, station = station_, held](Result<bus::Entry> answer) {
    const Inside inside(station->gate);
    if (!inside) return;
    spec_fetched(std::move(*held), std::move(answer));
  });
}

void CallWorker::spec_fetched(Fetching fetching, Result<bus::Entry> answer) {
  if (!answer && answer.error().code != ErrorCode::kNotFound) {
    fetching.delivery.nak(kSpecRetry);
    return give_slot_back();
  }
  Result<std::string> document =
      answer ? Result<std::string>(std::move(answer->value))
             : fail(ErrorCode::kSpecUnavailable,
                    fmt::format("the spec that admitted this call ({}) can no longer be found",
                                fetching.request.spec_digest()));
  const auto tool = station_->tools.learn(fetching.request, document);
  hold(std::move(fetching.delivery), std::move(fetching.request), tool, {});
}

void CallWorker::give_slot_back() {
  Asks asks;
  {
    const MutexLock lock(mutex_);
    shares_.release();
    slots_used_.set(static_cast<double>(shares_.held()));
    asks = next_asks();
    if (shares_.held() == 0) empty_.notify_all();
  }
  ask(asks);
}

void CallWorker::hold(bus::Delivery delivery, v1::CallRequest request, const ToolEntryPtr& tool,
                      From from) {
  std::shared_ptr<HeldCall> call;
  std::shared_ptr<HeldCall> before;  // its memory is freed outside the lock
  Asks asks;
  bool no_memory = false;
  {
    const MutexLock lock(mutex_);
    const auto found = held_.find(request.call_id());
    const bool has_slot = from.slot == Slot::kTaken || shares_.take(from.queue, delivery.pending);
    const bool ours = found != held_.end() && found->second->redelivered(delivery);
    if (ours || draining_ || !has_slot) {
      if (!ours) delivery.nak(std::chrono::milliseconds(0));
      if (has_slot) shares_.release();
      if (ours) asks = next_asks();
      if (shares_.held() == 0) empty_.notify_all();
    } else {
      try {
        call = std::make_shared<HeldCall>(station_, tool, std::move(delivery), std::move(request));
        auto& place = held_[call->id()];
        before = std::exchange(place, call);
      } catch (const std::bad_alloc&) {
        no_memory = true;
        call.reset();
        shares_.release();
      }
      asks = next_asks();
    }
    slots_used_.set(static_cast<double>(shares_.held()));
  }
  ask(asks);
  if (no_memory) {
    spdlog::error("out of memory for another call: it is delivered again unless it was settled");
    delivery.nak(kSpecRetry);  // does nothing if the call has taken it over
  }
  if (call) call->begin();
}

void CallWorker::released(const HeldCall& call) {
  std::shared_ptr<HeldCall> last;  // its memory is freed outside the lock
  Asks asks;
  {
    const MutexLock lock(mutex_);
    shares_.release();
    const auto found = held_.find(call.id());
    // The same call may be held again by now.
    if (found != held_.end() && found->second.get() == &call) {
      last = std::move(found->second);
      held_.erase(found);
    }
    slots_used_.set(static_cast<double>(shares_.held()));
    asks = next_asks();
    if (shares_.held() == 0) empty_.notify_all();
  }
  ask(asks);
}

void CallWorker::serve_control(bus::Request request) {
  v1::ControlRequest asked;
  if (!asked.ParseFromString(request.payload)) return;
  std::shared_ptr<HeldCall> call;
  {
    const MutexLock lock(mutex_);
    if (const auto found = held_.find(asked.call_id()); found != held_.end()) call = found->second;
  }
  v1::ControlAnswer answer;
  if (call) {
    const auto phase = call->look();
    answer.set_held(phase.has_value());
    if (phase) answer.set_phase(std::string(*phase));
  }
  request.answer(answer.SerializeAsString());
}

void CallWorker::hanging(int change) {
  std::string reason;
  {
    const MutexLock lock(mutex_);
    hanging_ = static_cast<std::size_t>(static_cast<long>(hanging_) + change);
    hanging_gauge_.set(static_cast<double>(hanging_));
    const std::size_t most =
        std::min<std::size_t>(16, std::max<std::size_t>(1, station_->options.slots / 2));
    if (hanging_ < most || unhealthy_) return;
    unhealthy_ = true;
    reason = fmt::format(
        "{} tools were asked to stop and have not returned: only a restart "
        "of this process frees their threads",
        hanging_);
  }
  spdlog::critical("{}", reason);
  if (station_->options.on_unhealthy) station_->options.on_unhealthy(reason);
}

std::vector<std::shared_ptr<HeldCall>> CallWorker::held_calls() const {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<HeldCall>> calls;
  calls.reserve(held_.size());
  for (const auto& [id, call] : held_) calls.push_back(call);
  return calls;
}

std::size_t CallWorker::held() const {
  const MutexLock lock(mutex_);
  return shares_.held();
}

void CallWorker::drain() {
  bool first = false;
  {
    const MutexLock lock(mutex_);
    first = !draining_;
    draining_ = true;
  }
  if (first) {
    std::vector<std::shared_ptr<bus::PullConsumer>> consumers;
    {
      const MutexLock lock(mutex_);
      consumers = consumers_;
    }
    for (const auto& consumer : consumers) consumer->stop();
    announce();
    for (const auto& call : held_calls()) call->give_back_unstarted();
    drain_ = std::make_shared<Drain>(*this);
    station_->timer.schedule(station_->clock.monotonic() + station_->options.drain_timeout, drain_);
  }
  MutexLock lock(mutex_);
  empty_.wait(lock, [this]() REQUIRES(mutex_) { return shares_.held() == 0; });
}

Result<std::unique_ptr<Worker>> start_worker(bus::Bus& bus, monitoring::Metrics& metrics,
                                             WorkerTools tools, const Clock& clock,
                                             WorkerOptions options) {
  ASSIGN_OR_RETURN(auto worker, CallWorker::start(bus, metrics, std::move(tools), clock,
                                                  std::move(options), TimePasses::kByItself));
  return std::unique_ptr<Worker>(std::move(worker));
}

}  // namespace toolway::workers
