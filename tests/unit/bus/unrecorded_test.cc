#include "bus/unrecorded.h"

#include <gtest/gtest.h>

#include "bus/in_memory_bus.h"
#include "tests/support/awaiting.h"
#include "tests/support/test_clock.h"

namespace toolway::bus {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// A thousand messages of a kilobyte; the stream holds 2,000 of them, or a day.
StreamState stream() {
  return {.first_sequence = 5001,
          .last_sequence = 6000,
          .messages = 1000,
          .bytes = 1'000'000,
          .max_bytes = 2'000'000,
          .max_age = hours(24)};
}

TEST(Unrecorded, IsNothingWhenAllIsAcknowledged) {
  const ConsumerState collector{.ack_floor = 6000};
  EXPECT_FALSE(first_unrecorded(stream(), collector));
  EXPECT_EQ(unrecorded(stream(), collector, hours(23)).worst(), 0);
  EXPECT_EQ(unrecorded(stream(), collector, hours(23)).oldest_age.count(), 0);
}

TEST(Unrecorded, IsAllFromTheOldestUnrecordedMessage) {
  // 500 are recorded, one of those that follow is not, the rest is.
  const ConsumerState collector{.ack_floor = 5500, .pending = 0, .ack_pending = 1};
  EXPECT_EQ(first_unrecorded(stream(), collector), 5501U);
  const auto part = unrecorded(stream(), collector, hours(6));
  EXPECT_DOUBLE_EQ(part.bytes, 0.25);
  EXPECT_DOUBLE_EQ(part.age, 0.25);
  EXPECT_EQ(part.messages, 1U);
  EXPECT_EQ(part.oldest_age, hours(6));
}

TEST(Unrecorded, TheWorseOfTheTwoCounts) {
  const ConsumerState collector{.ack_floor = 5900, .pending = 100};
  EXPECT_DOUBLE_EQ(unrecorded(stream(), collector, hours(18)).worst(), 0.75);
  EXPECT_DOUBLE_EQ(unrecorded(stream(), collector, hours(0)).worst(), 0.05);
}

TEST(Unrecorded, IsAtMostWhatTheStreamStillHolds) {
  const ConsumerState collector{.ack_floor = 10, .pending = 1000};
  EXPECT_EQ(first_unrecorded(stream(), collector), 5001U);
  EXPECT_DOUBLE_EQ(unrecorded(stream(), collector, milliseconds(0)).bytes, 0.5);
}

TEST(Unrecorded, AStreamWithoutBoundsIsNeverNearThem) {
  StreamState boundless = stream();
  boundless.max_bytes = -1;
  boundless.max_age = milliseconds(0);
  const ConsumerState collector{.ack_floor = 5001, .pending = 999};
  EXPECT_EQ(unrecorded(boundless, collector, hours(1000)).worst(), 0);
}

TEST(Unrecorded, AnEmptyStreamHasNothing) {
  StreamState empty = stream();
  empty.messages = 0;
  empty.bytes = 0;
  EXPECT_EQ(unrecorded(empty, {.pending = 3}, hours(24)).worst(), 0);
}

TEST(Unrecorded, ANegativeAgeOfASlowClockCountsAsNone) {
  const auto part = unrecorded(stream(), {.ack_floor = 5999, .pending = 1}, hours(-1));
  EXPECT_EQ(part.age, 0);
  EXPECT_EQ(part.oldest_age.count(), 0);
}

TEST(RecordingMeter, AsksTheBusForBytesAndAge) {
  toolway::test::MovedClock clock;
  clock.move_wall(hours(2));
  const auto bus = make_in_memory_bus();
  ASSERT_TRUE(
      bus->provision({.pools = {{"native", 1}}, .max_bytes = 100'000, .max_age = hours(8)}));
  RecordingMeter meter(*bus, clock, "CALLS");
  toolway::test::Awaited<Result<Unrecorded>> answer;
  meter.measure(answer.callback());
  auto part = answer.next();
  ASSERT_TRUE(part && *part);
  EXPECT_EQ((*part)->worst(), 0);
  for (int i = 0; i < 10; ++i) {
    bus->publish({.subject = "call.native.normal.0.x", .payload = std::string(1000, 'x')},
                 [](auto) {});
  }
  meter.measure(answer.callback());
  part = answer.next();
  ASSERT_TRUE(part && *part);
  EXPECT_NEAR((*part)->bytes, 0.1, 0.02);
  EXPECT_NEAR((*part)->age, 0.25, 0.01);
  EXPECT_EQ((*part)->messages, 10U);
  EXPECT_NEAR(std::chrono::duration<double>((*part)->oldest_age).count(), 7200, 60);
  EXPECT_EQ((*part)->stream.messages, 10U);
  EXPECT_EQ((*part)->stream.max_bytes, 100'000);
  RecordingMeter(*bus, clock, "NONE").measure(answer.callback());
  part = answer.next();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->error().code, ErrorCode::kNotFound);
}

/// A stream without messages, and how often its collector was asked.
class CountingReader final : public StreamReader {
 public:
  void last_message(std::string_view, std::string, ReadFrom, MessageHandler handler) override {
    handler(fail(ErrorCode::kNotFound, ""));
  }
  void next_message(std::string_view, std::string, std::uint64_t, ReadFrom,
                    MessageHandler handler) override {
    handler(StoredMessage());
  }
  void stream_state(std::string_view, std::function<void(Result<StreamState>)> handler) override {
    handler(stream);
  }
  void consumer_state(Durable, std::function<void(Result<ConsumerState>)> handler) override {
    ++asked;
    handler(collector);
  }
  void durables(std::string_view,
                std::function<void(Result<std::vector<std::string>>)> handler) override {
    handler(std::vector<std::string>());
  }

  StreamState stream = bus::stream();
  ConsumerState collector{.ack_floor = 6000};
  int asked = 0;
};

TEST(RecordingMeter, AsksACollectorThatHasRecordedAllOnlyOnceTheStreamHasMore) {
  toolway::test::MovedClock clock;
  CountingReader reader;
  RecordingMeter meter(reader, clock, "CALLS");
  double worst = 1;
  const auto measure = [&] { meter.measure([&](const auto& part) { worst = part->worst(); }); };
  for (int i = 0; i < 5; ++i) measure();
  EXPECT_EQ(reader.asked, 1);
  EXPECT_EQ(worst, 0);
  ++reader.stream.last_sequence;
  reader.collector.pending = 1;
  for (int i = 0; i < 5; ++i) measure();
  EXPECT_EQ(reader.asked, 6);
  EXPECT_GT(worst, 0);
}

}  // namespace
}  // namespace toolway::bus
