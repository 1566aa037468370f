#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bus/bus.h"
#include "tests/simulation/network.h"
#include "tests/simulation/process.h"

namespace toolway::simulation {

/// The bus as one process has it: `bus::Bus` over the model server and the weather between
/// them. What is sent may be lost, late or overtaken; what is answered likewise. Lives as long
/// as the schedule, since what was sent may arrive after its process has died.
class NodeBus final : public bus::Bus {
 public:
  NodeBus(const Surroundings& around, std::shared_ptr<Process> process)
      : around_(around), process_(std::move(process)) {}

  void publish(bus::Publication publication, bus::PublishHandler handler) override;
  void last_message(std::string_view stream, std::string subject, bus::ReadFrom from,
                    bus::MessageHandler handler) override;
  void next_message(std::string_view stream, std::string filter, std::uint64_t sequence,
                    bus::ReadFrom from, bus::MessageHandler handler) override;
  void stream_state(std::string_view stream,
                    std::function<void(Result<bus::StreamState>)> handler) override;
  void consumer_state(bus::Durable durable,
                      std::function<void(Result<bus::ConsumerState>)> handler) override;
  std::unique_ptr<bus::PullConsumer> pull(bus::Durable durable,
                                          bus::DeliveryHandler handler) override;
  Result<std::unique_ptr<bus::Subscription>> follow(std::string filter,
                                                    bus::LiveHandler handler) override;
  void durables(std::string_view stream,
                std::function<void(Result<std::vector<std::string>>)> handler) override;
  void tell(std::string subject, std::string payload) override;
  void request(std::string subject, std::string payload, bus::AnswerHandler handler) override;
  Result<std::unique_ptr<bus::Subscription>> serve(std::string filter, std::string group,
                                                   bus::RequestHandler handler) override;
  void settle(const std::string& reply, bus::Settlement settlement) override;
  /// The schedule has provisioned.
  Result<void> provision(const bus::Layout&) override { return {}; }
  bus::Connection connection() const override;
  std::unique_ptr<bus::Subscription> on_connection(
      std::function<void(bus::Connection)> handler) override;

 private:
  /// Asks the server with `ask`, there and back through the weather. `T`: what it answers.
  template <typename T>
  void exchange(std::string_view what, std::function<Result<T>()> ask,
                std::function<void(Result<T>)> handler);
  void say(std::string subject, std::string payload, std::string reply);
  /// Up to where the replica that answers has the stream.
  std::uint64_t seen_by_replica(const ServerStream& stream, bus::ReadFrom from);

  const Surroundings around_;
  const std::shared_ptr<Process> process_;
  std::uint64_t inboxes_ = 0;
};

}  // namespace toolway::simulation
