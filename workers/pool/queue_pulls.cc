#include "workers/pool/queue_pulls.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <utility>

#include "base/all_at_once.h"

namespace toolway::workers::pool {

QueuePulls::QueuePulls(std::shared_ptr<call::WorkerContext> context, Slots& slots,
                       Received received)
    : context_(std::move(context)), slots_(slots), received_(std::move(received)) {}

void QueuePulls::list() {
  context_->bus.durables(proto::kCallsStream,
                         [this, context = context_](Result<std::vector<std::string>> names) {
                           const threads::GateLock entered(context->gate);
                           if (!entered || !names) return;  // asked again in a while
                           const MutexLock lock(slots_.mutex);
                           listed_ = std::move(*names);
                         });
}

void QueuePulls::follow() {
  std::set<std::string> gone;
  std::vector<std::pair<std::string, proto::Lane>> appeared;
  {
    const MutexLock lock(slots_.mutex);
    if (!listed_ || slots_.draining) return;
    gone = pulled_;
    for (const auto& name : *listed_) {
      const auto queue = proto::parse_call_durable(name);
      if (!queue || queue->pool != context_->options.pool) continue;
      gone.erase(name);
      if (!pulled_.contains(name)) appeared.emplace_back(name, queue->lane);
    }
    listed_.reset();
    // A pool with no queue left will come back: its pulls ask again until then.
    if (gone.size() == pulled_.size() && appeared.empty()) return;
    for (const auto& name : gone) {
      const std::size_t queue = slots_.shares.add(name, proto::parse_call_durable(name)->lane);
      slots_.shares.remove(queue);
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

void QueuePulls::pull(const std::string& durable, proto::Lane lane) {
  // The handler sees its place in time: as soon as the shares have a queue, any thread asks for
  // its calls, but nothing is delivered before it is asked for.
  const auto place = std::make_shared<std::atomic<std::size_t>>(0);
  std::shared_ptr<bus::PullConsumer> consumer =
      context_->bus.pull({std::string(proto::kCallsStream), durable},
                         [this, context = context_, place](bus::Delivery delivery) {
                           const threads::GateLock entered(context->gate);
                           if (!entered) return delivery.nak(std::chrono::milliseconds(0));
                           received_(*place, std::move(delivery));
                         });
  std::shared_ptr<bus::PullConsumer> before;  // of an earlier queue of that name
  Slots::Asks asks;
  {
    const MutexLock lock(slots_.mutex);
    consumers_.reserve(consumers_.size() + 1);  // what the shares have is there
    const auto queue = slots_.shares.add(durable, lane);
    *place = queue;
    if (consumers_.size() <= queue) consumers_.resize(queue + 1);
    before = std::exchange(consumers_[queue], std::move(consumer));
    pulled_.insert(durable);
    if (slots_.draining) consumers_[queue]->stop();
    asks = slots_.next_asks(*context_);
  }
  ask(asks);
}

void QueuePulls::ask(const Slots::Asks& asks) {
  for (const auto& one : asks) {
    std::shared_ptr<bus::PullConsumer> consumer;
    {
      const MutexLock lock(slots_.mutex);
      consumer = consumers_[one.queue];
    }
    if (consumer) consumer->allow(one.count);  // null: the queue has disappeared since
  }
}

void QueuePulls::withdraw() {
  Slots::Asks back;
  {
    const MutexLock lock(slots_.mutex);
    if (slots_.draining) return;
    back = slots_.paused ? slots_.shares.all_asked() : slots_.shares.too_many();
  }
  for (auto& one : back) {
    std::shared_ptr<bus::PullConsumer> consumer;
    {
      const MutexLock lock(slots_.mutex);
      consumer = consumers_[one.queue];
    }
    if (consumer) one.count = consumer->withdraw(one.count);
  }
  Slots::Asks asks;
  {
    const MutexLock lock(slots_.mutex);
    for (const auto& one : back) slots_.shares.taken_back(one);
    asks = slots_.next_asks(*context_);
  }
  ask(asks);
}

void QueuePulls::stop() {
  std::vector<std::shared_ptr<bus::PullConsumer>> consumers;
  {
    const MutexLock lock(slots_.mutex);
    consumers = consumers_;
  }
  for (const auto& consumer : consumers) consumer->stop();
}

void QueuePulls::end() {
  std::vector<std::shared_ptr<bus::PullConsumer>> consumers;
  {
    const MutexLock lock(slots_.mutex);
    consumers.swap(consumers_);
  }
  // Each takes up to 2 s when NATS does not answer.
  all_at_once(consumers, [](auto& consumer) { consumer.reset(); });
}

}  // namespace toolway::workers::pool
