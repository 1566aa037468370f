// A connection that breaks in the middle of a message. nats.c keeps its parser over a reconnect of
// its own, and would read what the next connection brings as the rest of that message.
#include "tests/contract/bus/bus_fixture.h"
#include "tests/contract/bus/fault_clients.h"
#include "tests/support/cutting_proxy.h"

namespace toolway::test {
namespace {

using faults::OpenClients;

class JetStreamCutMessage : public testing::Test {
 protected:
  static std::uint16_t port_of(const std::string& url) {
    return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  }
  std::unique_ptr<bus::Bus> connect() {
    auto bus = bus::connect_jetstream(
        {.url = "nats://127.0.0.1:" + std::to_string(proxy_.port()), .name = "test"});
    if (!bus) throw std::runtime_error(bus.error().message);
    return std::move(*bus);
  }

  TempDir directory_;
  std::unique_ptr<local::NatsServer> server_ = start_nats(directory_.path().string());
  CuttingProxy proxy_{port_of(server_->url())};
};

TEST_F(JetStreamCutMessage, IsForgottenWithItsConnection) {
  constexpr int kRounds = 3;
  const auto publisher = connect_to(*server_);
  ASSERT_TRUE(publisher->provision({.pools = {{.name = "native"}}}));
  const auto bus = connect();
  OpenClients clients(*bus);
  Awaited<std::string> live;
  const auto following = bus->follow(
      "live.>",
      [heard = live.callback()](const bus::LiveMessage& it) { heard(std::string(it.payload)); });
  ASSERT_TRUE(following);
  // Only what works is known to the server: a subscription may still be on its way to it, and a
  // message that another connection publishes before it would never come.
  ASSERT_TRUE(clients.work());
  for (int round = 0; round < kRounds; ++round) {
    // So long that nothing but more bytes than are to come would end it.
    const std::string cut = "first half" + std::string(200'000, '.') + "second half";
    proxy_.cut_after("first half");
    Awaited<Result<bus::PubAck>> ack;
    publisher->publish({.subject = faults::event_subject(), .payload = cut}, ack.callback());
    const auto stored = ack.next();
    ASSERT_TRUE(stored && *stored);
    ASSERT_TRUE(clients.next_change_is(bus::Connection::kDisconnected));
    ASSERT_TRUE(clients.next_change_is(bus::Connection::kConnected));
    ASSERT_EQ(proxy_.cuts(), round + 1);
    ASSERT_TRUE(clients.work());
    for (;;) {  // what is heard is whole
      const auto heard = live.next();
      ASSERT_TRUE(heard);
      EXPECT_EQ(heard->find("first half"), std::string::npos);
      if (heard->starts_with("marker-" + std::to_string(round + 2))) break;
    }
  }
  EXPECT_EQ(clients.untold_changes(), 0U);
}

}  // namespace
}  // namespace toolway::test
