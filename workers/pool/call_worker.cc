#include "workers/pool/call_worker.h"

#include <spdlog/spdlog.h>

#include <new>
#include <utility>

#include "base/contained.h"
#include "base/held_pool.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "base/try.h"
#include "extensions/builtin/limits.h"
#include "monitoring/metric_names.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "proto/toolway/v1/control.pb.h"
#include "workers/pool/start_worker.h"

namespace toolway::workers::pool {
namespace {

/// Until a call whose spec could not be read, or for which there was no memory, comes again.
constexpr std::chrono::seconds kSpecRetry{1};
constexpr std::chrono::seconds kUpkeepInterval{1};
constexpr std::chrono::seconds kAnnounceInterval{2};
constexpr std::chrono::seconds kQueueListInterval{5};

}  // namespace

class CallWorker::Drain final : public threads::Timed {
 public:
  explicit Drain(CallWorker& worker) : worker_(worker) {}

  void on_time(MonotonicTime now) override {
    const auto calls = worker_.held_calls();
    if (calls.empty()) return;
    if (!stopped_) {
      stopped_ = true;
      for (const auto& call : calls) call->stop_for_drain();
      // After the grace of the calls themselves, which are scheduled before this.
      worker_.context_->timer.schedule(now + worker_.context_->options.cancel_grace,
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

/// The work of each second. Schedules itself last: what throws is due again as it is.
class CallWorker::Upkeep final : public threads::Timed {
 public:
  Upkeep(CallWorker& worker, MonotonicTime now)
      : worker_(worker),
        list_at_(now + kQueueListInterval),
        announce_at_(now + kAnnounceInterval) {}

  void on_time(MonotonicTime now) override {
    worker_.context_->switches->look();
    worker_.context_->policies_mirror->look();
    worker_.pulls_.follow();
    worker_.pulls_.withdraw();
    worker_.guard_.measure();
    const auto policy = worker_.context_->policies->in_force();
    worker_.context_->permits.upkeep(policy &&
                                     extensions::builtin::has_running_limits(*policy->policy));
    if (now >= announce_at_) {
      announce_at_ = now + kAnnounceInterval;
      worker_.announcer_.tell();
    }
    if (now >= list_at_) {
      list_at_ = now + kQueueListInterval;
      worker_.pulls_.list();
    }
    worker_.context_->timer.schedule(now + kUpkeepInterval, worker_.upkeep_);
  }
  bool over() const override { return false; }

 private:
  CallWorker& worker_;
  MonotonicTime list_at_;
  MonotonicTime announce_at_;
};

CallWorker::CallWorker(bus::Bus& bus, monitoring::Metrics& metrics, WorkerTools tools,
                       const Clock& clock, WorkerOptions options,
                       std::shared_ptr<threads::JobExecutor> executor)
    : context_(std::make_shared<call::WorkerContext>(bus, metrics, std::move(tools), clock,
                                                     std::move(options), std::move(executor))),
      slots_used_(metrics.gauge(monitoring::kSlotsUsed, "pool", context_->options.pool)),
      slots_(context_->options.slots),
      pulls_(context_, slots_,
             [this](std::size_t queue, bus::Delivery delivery) {
               received(queue, std::move(delivery));
             }),
      guard_(context_, slots_,
             [this](const Slots::Asks& asks) {
               announcer_.tell();
               pulls_.ask(asks);
             }),
      specs_(
          context_,
          [this](bus::Delivery delivery, v1::CallRequest request, const call::ToolEntryPtr& tool) {
            if (tool) return hold(std::move(delivery), std::move(request), tool, {});
            return_after(kSpecRetry, delivery);
            give_slot_back();
          }),
      abandoned_(*context_),
      announcer_(*context_, slots_) {
  metrics.gauge(monitoring::kSlots, "pool", context_->options.pool)
      .set(static_cast<double>(context_->options.slots));
  metrics.counter(monitoring::kTakeovers).add(0);
  metrics.counter(monitoring::kParked).add(0);
  context_->released = [this](const call::HeldCall& call) { released(call); };
  context_->hanging = [this](int change) { abandoned_.changed(change); };
}

Result<std::unique_ptr<CallWorker>> CallWorker::start(bus::Bus& bus, monitoring::Metrics& metrics,
                                                      WorkerTools tools, const Clock& clock,
                                                      WorkerOptions options, Drive drive) {
  if (options.slots == 0) {
    return fail(ErrorCode::kInvalidRequest, "a worker needs at least one slot");
  }
  if (options.pool == kHeldPool) {
    return fail(ErrorCode::kInvalidRequest, std::string(kHeldPoolTaken));
  }
  if (options.worker_id.empty()) options.worker_id = random_hex(16);
  if (!proto::valid_worker_id(options.worker_id)) {
    return fail(ErrorCode::kInvalidIdentifier,
                "worker id '" + options.worker_id +
                    "' is not of the form [A-Za-z0-9_-]{1,64}: it is part of subjects");
  }
  auto worker = std::unique_ptr<CallWorker>(new CallWorker(
      bus, metrics, std::move(tools), clock, std::move(options), std::move(drive.executor)));
  auto control = bus.serve(proto::control_subject(worker->context_->options.worker_id), "",
                           [raw = worker.get(), context = worker->context_](bus::Request request) {
                             const threads::GateLock entered(context->gate);
                             if (entered) raw->serve_control(std::move(request));
                           });
  RETURN_IF_ERROR(control);
  worker->control_ = std::move(*control);
  worker->connection_ = bus.on_connection([context = worker->context_](bus::Connection state) {
    const threads::GateLock entered(context->gate);
    if (entered && state == bus::Connection::kConnected)
      context->steadiness.connected(context->clock.monotonic());
  });
  if (drive.time == TimePasses::kByItself) worker->context_->timer.start();
  worker->watch_switches();
  // The one queue that every pool has; the others are found by the first upkeep.
  worker->pulls_.pull(proto::call_durable(worker->context_->options.pool, proto::Lane::kNormal, 0),
                      proto::Lane::kNormal);
  worker->begin_upkeep();
  return worker;
}

void CallWorker::begin_upkeep() {
  const MonotonicTime now = context_->clock.monotonic();
  upkeep_ = std::make_shared<Upkeep>(*this, now);
  context_->timer.schedule(now + kUpkeepInterval, upkeep_);
  pulls_.list();
  announcer_.tell();
}

void CallWorker::watch_switches() {
  auto changed = [this, weak = std::weak_ptr(context_)] {
    const auto context = weak.lock();
    if (!context) return;
    const threads::GateLock entered(context->gate);
    if (entered) switches_changed();
  };
  auto mirror = std::make_unique<bus::BucketMirror>(
      context_->bus, bus::BucketMirror::Bucket{proto::kPoliciesBucket, proto::kPoliciesStream},
      [policies = context_->policies](const auto& entries, auto extent) {
        policies->take_entries(entries, extent == bus::BucketMirror::Extent::kAll);
      },
      changed);
  auto board = std::make_unique<bus::SwitchBoard>(context_->bus, std::move(changed));
  const MutexLock lock(slots_.mutex);
  context_->policies_mirror = std::move(mirror);
  context_->switches = std::move(board);
}

/// The first time, pulling begins.
void CallWorker::switches_changed() {
  Slots::Asks asks;
  {
    const MutexLock lock(slots_.mutex);
    if (!context_->switches)
      return;  // its first answer came before it was set: the first pull asks
    asks = slots_.next_asks(*context_);
  }
  pulls_.ask(asks);
}

CallWorker::~CallWorker() {
  control_.reset();
  connection_.reset();
  // Before the consumers: its thread may be about to pull from another queue.
  context_->timer.stop();
  pulls_.stop();
  context_->gate.close();
  pulls_.end();
  context_->policies_mirror.reset();
  context_->switches.reset();
  context_->permits.close();
  for (const auto& call : held_calls()) call->forget();
  context_->executor->stop(context_->options.cancel_grace);
}

void CallWorker::received(std::size_t queue, bus::Delivery delivery) {
  const std::uint64_t pending = delivery.pending;
  Result<v1::CallRequest> request;
  call::ToolEntryPtr tool;
  try {
    request = proto::decode_call(delivery.payload);
    if (request) tool = context_->tools.find(*request);
  } catch (const std::bad_alloc&) {
    return_after(kSpecRetry, delivery);
    return dropped(queue, pending);
  }
  if (!request) {
    spdlog::error("set aside a message on {} that is not a call: {}", delivery.subject,
                  request.error().message);
    contained("a settlement", [&] { delivery.term(); });
    return dropped(queue, pending);
  }
  delivery.payload = {};  // decoded: no need to keep it twice
  if (tool) return hold(std::move(delivery), std::move(*request), tool, {Slot::kToTake, queue});
  {
    const MutexLock lock(slots_.mutex);
    if (!slots_.draining && slots_.shares.take(queue, pending)) {
      slots_used_.set(static_cast<double>(slots_.shares.held()));
    } else {
      return return_after(std::chrono::milliseconds(0), delivery);
    }
  }
  try {
    specs_.find(std::move(delivery), std::move(*request));
  } catch (const std::bad_alloc&) {
    give_slot_back();  // it comes again after its ack_wait
  }
}

void CallWorker::return_after(std::chrono::milliseconds delay, bus::Delivery& delivery) {
  contained("a settlement", [&] { delivery.nak(delay); });
}

/// What was delivered no longer needs a slot.
void CallWorker::dropped(std::size_t queue, std::uint64_t pending) {
  Slots::Asks asks;
  {
    const MutexLock lock(slots_.mutex);
    if (slots_.shares.take(queue, pending)) slots_.shares.release();
    asks = slots_.next_asks(*context_);
  }
  pulls_.ask(asks);
}

void CallWorker::give_slot_back() {
  Slots::Asks asks;
  {
    const MutexLock lock(slots_.mutex);
    asks = free_slot();
  }
  pulls_.ask(asks);
}

Slots::Asks CallWorker::free_slot() {
  slots_.shares.release();
  slots_used_.set(static_cast<double>(slots_.shares.held()));
  if (slots_.shares.held() == 0) slots_.empty.notify_all();
  return slots_.next_asks(*context_);
}

void CallWorker::hold(bus::Delivery delivery, v1::CallRequest request,
                      const call::ToolEntryPtr& tool, From from) {
  std::shared_ptr<call::HeldCall> call;
  std::shared_ptr<call::HeldCall> before;  // its memory is freed outside the lock
  Slots::Asks asks;
  bool no_memory = false;
  {
    const MutexLock lock(slots_.mutex);
    const auto found = held_.find(request.call_id());
    const bool has_slot =
        from.slot == Slot::kTaken || slots_.shares.take(from.queue, delivery.pending);
    const bool ours = found != held_.end() && found->second->redelivered(delivery);
    if (ours || slots_.draining || !has_slot) {
      if (!ours) return_after(std::chrono::milliseconds(0), delivery);
      if (has_slot) slots_.shares.release();
      if (ours) asks = slots_.next_asks(*context_);
      if (slots_.shares.held() == 0) slots_.empty.notify_all();
    } else {
      try {
        call = std::make_shared<call::HeldCall>(context_, tool, std::move(delivery),
                                                std::move(request));
        auto& place = held_[call->id()];
        before = std::exchange(place, call);
      } catch (const std::bad_alloc&) {
        no_memory = true;
        call.reset();
        slots_.shares.release();
      }
      asks = slots_.next_asks(*context_);
    }
    slots_used_.set(static_cast<double>(slots_.shares.held()));
  }
  pulls_.ask(asks);
  if (no_memory) {
    spdlog::error("out of memory for another call: it is delivered again unless it was settled");
    return_after(kSpecRetry, delivery);  // does nothing if the call has taken it over
  }
  if (call) call->begin();
}

void CallWorker::released(const call::HeldCall& call) {
  std::shared_ptr<call::HeldCall> last;  // its memory is freed outside the lock
  Slots::Asks asks;
  {
    const MutexLock lock(slots_.mutex);
    const auto found = held_.find(call.id());
    // The same call may be held again by now.
    if (found != held_.end() && found->second.get() == &call) {
      last = std::move(found->second);
      held_.erase(found);
    }
    asks = free_slot();
  }
  pulls_.ask(asks);
}

void CallWorker::serve_control(bus::Request request) {
  v1::ControlRequest asked;
  if (!asked.ParseFromString(request.payload)) return;
  std::shared_ptr<call::HeldCall> call;
  {
    const MutexLock lock(slots_.mutex);
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

std::vector<std::shared_ptr<call::HeldCall>> CallWorker::held_calls() const {
  const MutexLock lock(slots_.mutex);
  std::vector<std::shared_ptr<call::HeldCall>> calls;
  calls.reserve(held_.size());
  for (const auto& [id, call] : held_) calls.push_back(call);
  return calls;
}

std::size_t CallWorker::held() const {
  const MutexLock lock(slots_.mutex);
  return slots_.shares.held();
}

void CallWorker::drain() {
  bool first = false;
  {
    const MutexLock lock(slots_.mutex);
    first = !slots_.draining;
    slots_.draining = true;
  }
  if (first) {
    pulls_.stop();
    announcer_.tell();
    for (const auto& call : held_calls()) call->give_back_unstarted();
    drain_ = std::make_shared<Drain>(*this);
    context_->timer.schedule(context_->clock.monotonic() + context_->options.drain_timeout, drain_);
  }
  MutexLock lock(slots_.mutex);
  slots_.empty.wait(lock, [this]() REQUIRES(slots_.mutex) { return slots_.shares.held() == 0; });
}

Result<std::unique_ptr<Worker>> start_worker(bus::Bus& bus, monitoring::Metrics& metrics,
                                             WorkerTools tools, const Clock& clock,
                                             WorkerOptions options) {
  ASSIGN_OR_RETURN(auto worker, CallWorker::start(bus, metrics, std::move(tools), clock,
                                                  std::move(options), TimePasses::kByItself));
  return std::unique_ptr<Worker>(std::move(worker));
}

}  // namespace toolway::workers::pool
