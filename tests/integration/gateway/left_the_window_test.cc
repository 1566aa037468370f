// Events that leave stream EVENTS while a client reads a session: the record has them.
#include <atomic>

#include "gateway/wire/event_id.h"
#include "tests/integration/gateway/gateway_fixture.h"
#include "tests/integration/gateway/http_client.h"

namespace toolway {
namespace {

constexpr std::uint64_t kEvents = 6;

/// Its stream EVENTS begins at a message of our choice, also from a given read on.
class TrimmedBus final : public test::ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  void trim(std::uint64_t first) { first_ = first; }
  /// When the next event is read, the stream begins at `first`.
  void trim_at_next_read(std::uint64_t first) { next_first_ = first; }

  void next_message(std::string_view stream, std::string filter, std::uint64_t sequence,
                    bus::ReadFrom from, bus::MessageHandler handler) override {
    if (stream == proto::kEventsStream) {
      if (const auto first = next_first_.exchange(0); first > 0) first_ = first;
      sequence = std::max(sequence, first_.load());
    }
    inner().next_message(stream, std::move(filter), sequence, from, std::move(handler));
  }
  void stream_state(std::string_view stream,
                    std::function<void(Result<bus::StreamState>)> handler) override {
    if (stream != proto::kEventsStream) return inner().stream_state(stream, std::move(handler));
    inner().stream_state(stream,
                         [this, handler = std::move(handler)](Result<bus::StreamState> state) {
                           if (state)
                             state->first_sequence = std::max(state->first_sequence, first_.load());
                           handler(std::move(state));
                         });
  }

 private:
  std::atomic<std::uint64_t> first_ = 1;
  std::atomic<std::uint64_t> next_first_ = 0;
};

/// Has every event, though no collector has acknowledged one: the first that it was given keeps the
/// floor at 0.
class AheadStore final : public test::MemoryStore {
 public:
  using MemoryStore::MemoryStore;
  void add(persistence::store::RecordedEvent event) {
    const std::scoped_lock lock(events_mutex_);
    events_.push_back(std::move(event));
  }
  R<persistence::store::Page<persistence::store::RecordedEvent>> events_of_session(
      const SessionKey&, persistence::store::EventPosition after,
      persistence::store::PageLimit limit) override {
    const std::scoped_lock lock(events_mutex_);
    persistence::store::Page<persistence::store::RecordedEvent> page;
    for (const auto& event : events_) {
      if (event.position > after && page.size() < limit.rows) page.push_back(event);
    }
    return page;
  }

 private:
  std::mutex events_mutex_;
  std::vector<persistence::store::RecordedEvent> events_;
};

class LeftTheWindow : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(memory_->provision({.pools = {{"native", 1}}}));
    store_ = std::make_unique<AheadStore>(*memory_);
    auto started =
        gateway::server::start_gateway(bus_, *store_, live_, *metrics_, clock_, {.port = 0});
    ASSERT_TRUE(started) << started.error().message;
    gateway_ = std::move(*started);
    test::ask(gateway_->port(), "POST /v1/sessions",
              R"({"session_id":"s","namespaces":["sample"]})");
    test::ask(gateway_->port(), "POST /v1/sessions/s/calls", R"({"tool":"throws"})");
    memory_->quiesce();
    auto call = test::first_call(*memory_);
    test::Awaited<Result<bus::StreamState>> state;
    memory_->stream_state(proto::kEventsStream, state.callback());
    const auto incarnation = (*state.next())->incarnation;
    for (std::uint64_t i = 1; i <= kEvents; ++i) {
      call.set_call_id(CallId::make(clock_.wall()).text());
      const auto event = test::completion_of(call);
      test::Awaited<Result<bus::PubAck>> ack;
      memory_->publish({.subject = test::event_subject_of(call), .payload = proto::encode(event)},
                       ack.callback());
      const auto acked = ack.next();
      ASSERT_TRUE(acked && *acked);
      store_->add({{incarnation, (*acked)->sequence}, event});
    }
  }
  /// How many completions a page of all events has.
  std::uint64_t completions() {
    const auto answer = test::ask(gateway_->port(), "GET /v1/sessions/s/events?after=0", "",
                                  "accept: application/json\r\n");
    constexpr std::string_view kOne = "\"type\":\"completed\"";
    std::uint64_t count = 0;
    for (auto at = answer.find(kOne); at != std::string::npos; at = answer.find(kOne, at + 1))
      ++count;
    return count;
  }

  std::unique_ptr<bus::InMemoryBus> memory_ = bus::make_in_memory_bus();
  TrimmedBus bus_{*memory_};
  std::unique_ptr<monitoring::Metrics> metrics_ = monitoring::make_metrics("gateway");
  SystemClock clock_;
  tools::model::LiveRegistry live_{tools::samples::sample_registry()};
  std::unique_ptr<AheadStore> store_;
  std::unique_ptr<gateway::Gateway> gateway_;
};

TEST_F(LeftTheWindow, WhatTheStreamHasNotIsReadFromTheStoreWhereverTheFloorIs) {
  EXPECT_EQ(completions(), kEvents);
  bus_.trim(5);
  EXPECT_EQ(completions(), kEvents);
}

TEST_F(LeftTheWindow, WhatLeavesTheStreamWhileItIsReadIsReadFromTheStore) {
  bus_.trim_at_next_read(5);
  EXPECT_EQ(completions(), kEvents);
}

}  // namespace
}  // namespace toolway
