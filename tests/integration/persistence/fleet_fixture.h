#pragma once

#include "bus/answer.h"
#include "monitoring/metric_names.h"
#include "persistence/collector/collector.h"
#include "persistence/schema/stream_layout.h"
#include "tests/integration/persistence/signalling_metrics.h"
#include "tests/integration/persistence/store_fixture.h"
#include "tests/support/nats.h"

namespace toolway::persistence {

/// A real nats-server and a real Postgres for each test, with a collector between them.
class FleetFixture : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
    nats_ = test::start_nats(nats_dir_ / "nats");
    bus_ = connect();
    auto provisioned = bus_->provision(layout_);
    ASSERT_TRUE(provisioned) << provisioned.error().message;
  }

  std::unique_ptr<bus::Bus> connect() { return test::connect_to(*nats_); }

  std::unique_ptr<collector::Collector> collect(bus::Bus& bus) {
    return collector::start_collector(bus, metrics_, {.postgres_url = url_});
  }

  /// What the script holds from `first` on, stored on the streams in order.
  void publish(const Script& script, std::size_t first = 0) {
    for (auto i = first; i < script.entries.size(); ++i) {
      const auto& entry = script.entries[i];
      auto stored = bus::answer_of<bus::PubAck>([&](auto handler) {
        bus_->publish({.subject = entry.subject, .payload = entry.payload}, handler);
      });
      ASSERT_TRUE(stored) << stored.error().message;
    }
  }

  std::optional<v1::CallEvent> last_event(const v1::CallRequest& call) {
    auto message = bus::answer_of<bus::StoredMessage>([&](auto handler) {
      bus_->last_message(proto::kEventsStream,
                         proto::event_subject(*SessionKey::parse(call.session_key()),
                                              *CallId::parse(call.call_id())),
                         bus::ReadFrom::kLeader, handler);
    });
    if (!message) return std::nullopt;
    auto event = proto::decode_event(message->payload);
    return event ? std::optional(*event) : std::nullopt;
  }

  /// The newest request on CALLS of the call's session.
  std::optional<v1::CallRequest> last_request(const v1::CallRequest& call) {
    auto message = bus::answer_of<bus::StoredMessage>([&](auto handler) {
      bus_->last_message(proto::kCallsStream,
                         proto::call_subject(call.pool(), proto::Lane::kNormal, 0,
                                             *SessionKey::parse(call.session_key())),
                         bus::ReadFrom::kLeader, handler);
    });
    if (!message) return std::nullopt;
    auto request = proto::decode_call(message->payload);
    return request ? std::optional(*request) : std::nullopt;
  }

  std::uint64_t stored(std::string_view stream) {
    auto state = bus::answer_of<bus::StreamState>(
        [&](auto handler) { bus_->stream_state(stream, handler); });
    return state ? state->last_sequence : 0;
  }

  bus::ConsumerState recording(std::string_view stream) {
    auto state = bus::answer_of<bus::ConsumerState>([&](auto handler) {
      bus_->consumer_state({std::string(stream), std::string(proto::kCollectorDurable)}, handler);
    });
    EXPECT_TRUE(state) << state.error().message;
    return state.value_or(bus::ConsumerState{});
  }

  /// How far the collector has acknowledged, asked again until it is `wanted` or 10 s have
  /// passed: nats-server answers a question before it has applied the acks that came before it.
  std::uint64_t acknowledged(std::string_view stream, std::uint64_t wanted) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    auto floor = recording(stream).ack_floor;
    while (floor != wanted && std::chrono::steady_clock::now() < deadline) {
      floor = recording(stream).ack_floor;
    }
    return floor;
  }

  void delete_durable(std::string_view stream, std::string_view durable) {
    auto deleted = bus::answer_of<std::string>([&](auto handler) {
      bus_->request(fmt::format("$JS.API.CONSUMER.DELETE.{}.{}", stream, durable), "", handler);
    });
    ASSERT_TRUE(deleted) << deleted.error().message;
    ASSERT_NE(deleted->find("true"), std::string::npos) << *deleted;
  }

  test::TempDir nats_dir_;
  bus::Layout layout_{.pools = {{"native", 1}}};
  std::unique_ptr<local::NatsServer> nats_;
  std::unique_ptr<bus::Bus> bus_;
  SignallingMetrics metrics_;
};

}  // namespace toolway::persistence
