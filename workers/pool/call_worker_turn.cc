// What a worker does every second: finds the queues of its pool, pauses when too much of a stream
// is not recorded, announces itself.
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "base/mutex.h"
#include "proto/toolway/v1/control.pb.h"
#include "workers/pool/call_worker.h"

namespace toolway::workers {
namespace {

constexpr std::chrono::seconds kTurn{1};
constexpr std::chrono::seconds kAnnounce{2};
constexpr std::chrono::seconds kList{5};
constexpr std::array kMeasured{proto::kCallsStream, proto::kEventsStream, proto::kBlobsStream};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

class CallWorker::Turn final : public Timed {
 public:
  explicit Turn(CallWorker& worker) : worker_(worker) {}
  void on_time(MonotonicTime now) override {
    worker_.station_->timer.schedule(now + kTurn, worker_.turn_);
    worker_.turn(now);
  }
  bool over() const override { return false; }

 private:
  CallWorker& worker_;
};

void CallWorker::begin_turns() {
  const MonotonicTime now = station_->clock.monotonic();
  turn_ = std::make_shared<Turn>(*this);
  station_->timer.schedule(now + kTurn, turn_);
  list_at_ = now + kList;
  announce_at_ = now + kAnnounce;
  list_queues();
  announce();
}

void CallWorker::turn(MonotonicTime now) {
  station_->switches->look();
  follow_queues();
  withdraw();
  measure_backlog();
  if (now >= announce_at_) {
    announce_at_ = now + kAnnounce;
    announce();
  }
  if (now >= list_at_) {
    list_at_ = now + kList;
    list_queues();
  }
}

void CallWorker::list_queues() {
  station_->bus.durables(proto::kCallsStream,
                         [this, station = station_](Result<std::vector<std::string>> names) {
                           const Inside inside(station->gate);
                           if (!inside || !names) return;  // asked again in a while
                           const MutexLock lock(mutex_);
                           listed_ = std::move(*names);
                         });
}

void CallWorker::follow_queues() {
  std::set<std::string> gone;
  std::vector<std::pair<std::string, proto::Lane>> appeared;
  {
    const MutexLock lock(mutex_);
    if (!listed_ || draining_) return;
    gone = pulled_;
    for (const auto& name : *listed_) {
      const auto queue = proto::parse_call_durable(name);
      if (!queue || queue->pool != station_->options.pool) continue;
      gone.erase(name);
      if (!pulled_.contains(name)) appeared.emplace_back(name, queue->lane);
    }
    listed_.reset();
    // A pool with no queue left will come back: its pulls ask again until then.
    if (gone.size() == pulled_.size() && appeared.empty()) return;
    for (const auto& name : gone) {
      const std::size_t queue = shares_.add(name, proto::parse_call_durable(name)->lane);
      shares_.remove(queue);
      pulled_.erase(name);
      consumers_[queue]->stop();
    }
  }
  for (const auto& name : gone) spdlog::info("queue {} is gone; no longer pulling from it", name);
  for (const auto& [name, lane] : appeared) {
    spdlog::info("now also pulling from queue {}", name);
    pull(name, lane);
  }
}

void CallWorker::pull(const std::string& durable, proto::Lane lane) {
  // The handler sees its place in time: as soon as the shares have a queue, any thread asks for
  // its calls, but nothing is delivered before it is asked for.
  const auto place = std::make_shared<std::atomic<std::size_t>>(0);
  std::shared_ptr<bus::PullConsumer> consumer =
      station_->bus.pull({std::string(proto::kCallsStream), durable},
                         [this, station = station_, place](bus::Delivery delivery) {
                           const Inside inside(station->gate);
                           if (!inside) return delivery.nak(std::chrono::milliseconds(0));
                           received(*place, std::move(delivery));
                         });
  std::shared_ptr<bus::PullConsumer> before;  // of an earlier queue of that name
  Asks asks;
  {
    const MutexLock lock(mutex_);
    const auto queue = shares_.add(durable, lane);
    *place = queue;
    if (consumers_.size() <= queue) consumers_.resize(queue + 1);
    before = std::exchange(consumers_[queue], std::move(consumer));
    pulled_.insert(durable);
    if (draining_) consumers_[queue]->stop();
    asks = next_asks();
  }
  ask(asks);
}

void CallWorker::withdraw() {
  Asks back;
  {
    const MutexLock lock(mutex_);
    if (draining_) return;
    back = paused_ ? shares_.all_asked() : shares_.too_many();
  }
  for (auto& one : back) {
    std::shared_ptr<bus::PullConsumer> consumer;
    {
      const MutexLock lock(mutex_);
      consumer = consumers_[one.queue];
    }
    if (consumer) one.count = consumer->withdraw(one.count);
  }
  Asks asks;
  {
    const MutexLock lock(mutex_);
    for (const auto& one : back) shares_.taken_back(one);
    asks = next_asks();
  }
  ask(asks);
}

void CallWorker::measure_backlog() {
  {
    const MutexLock lock(mutex_);
    if (measuring_ > 0) return;
    measuring_ = kMeasured.size();
  }
  for (std::size_t i = 0; i < kMeasured.size(); ++i) {
    auto handler = [this, station = station_, i](const Result<bus::Unrecorded>& part) {
      const Inside inside(station->gate);
      if (inside) measured(i, part);
    };
    bus::measure_unrecorded(station_->bus, station_->clock, std::string(kMeasured[i]),
                            std::move(handler));
  }
}

void CallWorker::measured(std::size_t stream, const Result<bus::Unrecorded>& part) {
  if (part) station_->steadiness.answered(station_->clock.monotonic());
  double worst = 0;
  bool paused = false;
  Asks asks;
  {
    const MutexLock lock(mutex_);
    // Without an answer, what was known last applies.
    if (part) unrecorded_[stream] = part->worst();
    if (--measuring_ > 0) return;
    worst = std::ranges::max(unrecorded_);
    paused = worst > (paused_ ? bus::kResumeBelow : bus::kPauseAbove);
    if (paused == paused_) return;
    paused_ = paused;
    paused_gauge_.set(paused ? 1 : 0);
    asks = next_asks();
  }
  if (paused) {
    spdlog::warn(
        "pool {}: {:.0f} % of what a stream may hold is not recorded by the collectors; no calls are pulled "
        "until it is below {:.0f} %: check that collectors and Postgres are running",
        station_->options.pool, worst * 100, bus::kResumeBelow * 100);
  } else {
    spdlog::info("pool {}: the collectors have caught up; calls are pulled again",
                 station_->options.pool);
  }
  announce();
  ask(asks);
}

void CallWorker::announce() {
  v1::WorkerAnnouncement word;
  const WorkerOptions& options = station_->options;
  word.set_worker_id(options.worker_id);
  word.set_pool(options.pool);
  word.set_slots(static_cast<std::uint32_t>(options.slots));
  word.set_started_at_us(started_at_us_);
  word.set_host(host_name());
  word.set_process(static_cast<std::uint32_t>(getpid()));
  word.set_mocked(station_->tools.mocked());
  {
    const MutexLock lock(mutex_);
    word.set_held(static_cast<std::uint32_t>(shares_.held()));
    word.set_draining(draining_);
    word.set_paused(paused_);
  }
  station_->bus.tell(proto::worker_subject(options.pool, options.worker_id),
                     word.SerializeAsString());
}

}  // namespace toolway::workers
