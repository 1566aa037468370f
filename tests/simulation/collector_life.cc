#include "tests/simulation/collector_life.h"

#include "persistence/collector/collector.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::simulation {
namespace {

using persistence::collector::Source;
using std::chrono::milliseconds;

constexpr std::array<Source, 2> kTaken{Source::kCalls, Source::kEvents};
constexpr std::size_t kMaxPending = 20;

}  // namespace

CollectorLife::CollectorLife(const Surroundings& around, const std::string& name,
                             const Clock& clock, Tables& tables)
    : Life(around, name, clock), tables_(tables) {
  for (const auto source : kTaken) {
    auto& consumer = consumers_[static_cast<std::size_t>(source)];
    consumer =
        bus_.pull({std::string(persistence::collector::stream_of(source)),
                   std::string(proto::kCollectorDurable)},
                  [this, source](bus::Delivery delivery) { take(std::move(delivery), source); });
    consumer->allow(kMaxPending);
  }
  auto heard = [this](bus::Request request) {
    answer(std::make_shared<bus::Request>(std::move(request)));
  };
  lookups_ =
      std::move(*bus_.serve(std::string(proto::kLookupSubject), "collectors", std::move(heard)));
}

void CollectorLife::answer(const std::shared_ptr<bus::Request>& request) {
  v1::LookupRequest question;
  if (!question.ParseFromString(request->payload))
    throw std::logic_error("a lookup that cannot be read");
  // Asked first: what is recorded after that is more than was promised.
  const WallTime until = around_.server.recorded_until();
  const bool fails = around_.weather.strikes(Fault::kStoreFailure, 100);
  if (fails) return;
  process_->after(
      around_.world.random().between(milliseconds(1), milliseconds(15)),
      [this, request, question, until] {
        v1::LookupAnswer found;
        found.set_recorded_until_us(to_unix_us(until));
        const auto last = tables_.last_event(question.call_id());
        found.set_known(last || tables_.knows(question.call_id()));
        if (last) {
          found.set_last_event(proto::encode(last->event));
          found.set_incarnation(around_.server.state(proto::kEventsStream)->incarnation);
          found.set_sequence(last->position.sequence);
        }
        request->answer(found.SerializeAsString());
      });
}

void CollectorLife::die() {
  process_->die();
  for (auto& consumer : consumers_) consumer.reset();
  lookups_.reset();
}

void CollectorLife::take(bus::Delivery delivery, Source source) {
  held_.push_back({std::move(delivery), source, 1});
  if (std::exchange(writing_, true)) return;
  process_->after(persistence::collector::kBatchLinger, [this] { write(); });
}

void CollectorLife::write() {
  auto held = std::make_shared<PulledMessage>();
  held->swap(held_);
  if (held->empty()) {
    writing_ = false;
    return;
  }
  commit(held);
}

void CollectorLife::commit(const std::shared_ptr<PulledMessage>& held) {
  process_->after(around_.world.random().between(milliseconds(1), milliseconds(15)), [this, held] {
    const bool fails = around_.weather.strikes(Fault::kStoreFailure, 100);
    // A COMMIT without an answer: all of it, or nothing.
    if (!fails || around_.world.random().per_mille(500)) {
      std::vector<persistence::collector::Message> messages;
      for (const auto& item : *held) {
        messages.push_back({item.source, item.delivery.subject, item.delivery.payload, 1,
                            item.delivery.sequence, item.delivery.delivery_count > 1});
      }
      persistence::collector::Batch batch(std::move(messages));
      for (const auto& dead : batch.undecodable)
        around_.world.violation("a dead message: {}", dead.reason);
      tables_.apply(batch);
    }
    if (fails)
      return process_->after(persistence::collector::kFirstRetry, [this, held] { commit(held); });
    // A crash may come between COMMIT and the acks.
    process_->after(Micros(200), [this, held] { recorded(*held); });
  });
}

void CollectorLife::recorded(PulledMessage& held) {
  std::array<std::size_t, 2> taken{};
  for (auto& item : held) {
    item.delivery.ack();
    ++taken[static_cast<std::size_t>(item.source)];
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (taken[i] > 0) consumers_[i]->allow(taken[i]);
  }
  write();
}

}  // namespace toolway::simulation
