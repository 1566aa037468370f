#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "tests/memory/workers/scarce_memory.h"
#include "tests/support/forwarding_bus.h"

namespace toolway::test {

/// Passes everything on to another bus, whose memory never ends; what is called back is watched.
/// Each request may find no memory: before it is made, and (a publication) after it was sent.
class ScarceBus final : public ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;

  void publish(bus::Publication publication, bus::PublishHandler handler) override {
    allocate();
    {
      const Watch off(Watch::Mode::kOff);
      inner().publish(std::move(publication), watched(std::move(handler)));
    }
    allocate();
  }
  void last_message(std::string_view stream, std::string subject, bus::ReadFrom from,
                    bus::MessageHandler handler) override {
    allocate();
    const Watch off(Watch::Mode::kOff);
    inner().last_message(stream, std::move(subject), from, watched(std::move(handler)));
  }
  void next_message(std::string_view stream, std::string filter, std::uint64_t sequence,
                    bus::ReadFrom from, bus::MessageHandler handler) override {
    allocate();
    const Watch off(Watch::Mode::kOff);
    inner().next_message(stream, std::move(filter), sequence, from, watched(std::move(handler)));
  }
  void stream_state(std::string_view stream,
                    std::function<void(Result<bus::StreamState>)> handler) override {
    allocate();
    const Watch off(Watch::Mode::kOff);
    {
      const std::scoped_lock lock(mutex_);
      ++asked_[std::string(stream)];
    }
    inner().stream_state(stream, watched(std::move(handler)));
  }
  void consumer_state(bus::Durable durable,
                      std::function<void(Result<bus::ConsumerState>)> handler) override {
    allocate();
    const Watch off(Watch::Mode::kOff);
    inner().consumer_state(std::move(durable), watched(std::move(handler)));
  }
  /// How often the state of each stream was asked for since then.
  std::map<std::string, int> streams_asked() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(asked_, {});
  }
  void durables(std::string_view stream,
                std::function<void(Result<std::vector<std::string>>)> handler) override {
    allocate();
    const Watch off(Watch::Mode::kOff);
    inner().durables(stream, watched(std::move(handler)));
  }
  void request(std::string subject, std::string payload, bus::AnswerHandler handler) override {
    allocate();
    const Watch off(Watch::Mode::kOff);
    inner().request(std::move(subject), std::move(payload), watched(std::move(handler)));
  }
  void tell(std::string subject, std::string payload) override {
    allocate();
    const Watch off(Watch::Mode::kOff);
    inner().tell(std::move(subject), std::move(payload));
  }
  Result<std::unique_ptr<bus::Subscription>> serve(std::string filter, std::string group,
                                                   bus::RequestHandler handler) override {
    return inner().serve(std::move(filter), std::move(group), watched(std::move(handler)));
  }
  std::unique_ptr<bus::PullConsumer> pull(bus::Durable durable,
                                          bus::DeliveryHandler handler) override {
    return inner().pull(std::move(durable),
                        [this, handler = std::move(handler)](bus::Delivery delivery) {
                          bus::Delivery ours = this->ours(std::move(delivery));
                          const Watch on;
                          handler(std::move(ours));
                        });
  }
  void settle(const std::string& reply, bus::Settlement how) override {
    allocate();
    const Watch off(Watch::Mode::kOff);
    const std::scoped_lock lock(mutex_);
    // Never erased: a message may be settled more than once.
    deliveries_.at(reply)->settle(how);
  }

 private:
  template <typename Answer>
  static std::function<void(Answer)> watched(std::function<void(Answer)> handler) {
    return [handler = std::move(handler)](Answer answer) {
      const Watch on;
      handler(std::move(answer));
    };
  }
  /// The same, but settled by this bus.
  bus::Delivery ours(bus::Delivery delivery) {
    const std::scoped_lock lock(mutex_);
    std::string reply = fmt::format("delivery {}", deliveries_.size());
    bus::Delivery made(*this, reply);
    made.subject = delivery.subject;
    made.payload = delivery.payload;
    made.sequence = delivery.sequence;
    made.delivery_count = delivery.delivery_count;
    made.pending = delivery.pending;
    made.stored_at = delivery.stored_at;
    deliveries_.emplace(std::move(reply), std::make_unique<bus::Delivery>(std::move(delivery)));
    return made;
  }

  std::mutex mutex_;
  std::map<std::string, int> asked_;
  std::map<std::string, std::unique_ptr<bus::Delivery>> deliveries_;
};

}  // namespace toolway::test
