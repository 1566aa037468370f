#pragma once

#include "bus/bus.h"

namespace toolway::test {

/// Passes everything on to another bus: what tests derive from to spoil one function.
class ForwardingBus : public bus::Bus {
 public:
  explicit ForwardingBus(bus::Bus& inner) : inner_(inner) {}
  void publish(bus::Publication publication, bus::PublishHandler handler) override {
    inner_.publish(std::move(publication), std::move(handler));
  }
  void last_message(std::string_view stream, std::string subject, bus::ReadFrom from,
                    bus::MessageHandler handler) override {
    inner_.last_message(stream, std::move(subject), from, std::move(handler));
  }
  void next_message(std::string_view stream, std::string filter, std::uint64_t sequence,
                    bus::ReadFrom from, bus::MessageHandler handler) override {
    inner_.next_message(stream, std::move(filter), sequence, from, std::move(handler));
  }
  void stream_state(std::string_view stream,
                    std::function<void(Result<bus::StreamState>)> handler) override {
    inner_.stream_state(stream, std::move(handler));
  }
  void consumer_state(bus::Durable durable,
                      std::function<void(Result<bus::ConsumerState>)> handler) override {
    inner_.consumer_state(std::move(durable), std::move(handler));
  }
  std::unique_ptr<bus::PullConsumer> pull(bus::Durable durable,
                                          bus::DeliveryHandler handler) override {
    return inner_.pull(std::move(durable), std::move(handler));
  }
  Result<std::unique_ptr<bus::Subscription>> follow(std::string filter,
                                                    bus::LiveHandler handler) override {
    return inner_.follow(std::move(filter), std::move(handler));
  }
  void durables(std::string_view stream,
                std::function<void(Result<std::vector<std::string>>)> handler) override {
    inner_.durables(stream, std::move(handler));
  }
  void tell(std::string subject, std::string payload) override {
    inner_.tell(std::move(subject), std::move(payload));
  }
  void request(std::string subject, std::string payload, bus::AnswerHandler handler) override {
    inner_.request(std::move(subject), std::move(payload), std::move(handler));
  }
  Result<std::unique_ptr<bus::Subscription>> serve(std::string filter, std::string group,
                                                   bus::RequestHandler handler) override {
    return inner_.serve(std::move(filter), std::move(group), std::move(handler));
  }
  void in_one_turn(std::function<void()> task) override { inner_.in_one_turn(std::move(task)); }
  void settle(const std::string& reply, bus::Settlement settlement) override {
    inner_.settle(reply, settlement);
  }
  Result<void> provision(const bus::Layout& layout) override { return inner_.provision(layout); }
  bus::Connection connection() const override { return inner_.connection(); }
  std::unique_ptr<bus::Subscription> on_connection(
      std::function<void(bus::Connection)> handler) override {
    return inner_.on_connection(std::move(handler));
  }

 protected:
  bus::Bus& inner() { return inner_; }

 private:
  bus::Bus& inner_;
};

}  // namespace toolway::test
