// What only the bus on NATS does: it tells its process of every publication.
#include <vector>

#include "tests/contract/bus/bus_fixture.h"

namespace toolway::test {
namespace {

struct Told {
  std::string stream;
  std::chrono::nanoseconds took;
  std::optional<ErrorCode> error;
};

TEST(JetStreamPublishWatch, TellsOfEveryPublicationBeforeItsOwnHandler) {
  const TempDir directory;
  const auto server = start_nats(directory.path().string());
  std::vector<Told> told;  // by the thread of the bus, while this one waits for a handler
  auto connected = bus::connect_jetstream(
      {.url = server->url(),
       .on_published = [&](std::string_view stream, std::chrono::nanoseconds took,
                           const Result<bus::PubAck>& ack) {
         told.push_back(
             {std::string(stream), took, ack ? std::nullopt : std::optional(ack.error().code)});
       }});
  ASSERT_TRUE(connected) << connected.error().message;
  bus::Bus& bus = **connected;
  ASSERT_TRUE(bus.provision({.pools = {{"native", 1}}}));
  const auto publish = [&](bus::Publication publication) {
    Awaited<std::size_t> seen;
    bus.publish(std::move(publication),
                [&, done = seen.callback()](const auto&) { done(told.size()); });
    return seen.next();
  };
  EXPECT_EQ(publish({.subject = "event.a.b.c", .payload = "x", .expected_last = 0}), 1U);
  EXPECT_EQ(publish({.subject = "event.a.b.c", .payload = "x", .expected_last = 0}), 2U);
  EXPECT_EQ(publish({.subject = "$KV.sessions.k", .payload = "x"}), 3U);
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].stream, "EVENTS");
  EXPECT_FALSE(told[0].error);
  EXPECT_GT(told[0].took.count(), 0);
  EXPECT_EQ(told[1].error, ErrorCode::kWrongLastSequence);
  EXPECT_EQ(told[2].stream, "KV_sessions");
}

}  // namespace
}  // namespace toolway::test
