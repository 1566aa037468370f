// What a bus promises while its connection breaks, under traffic.
#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "tests/contract/bus/bus_fixture.h"
#include "tests/contract/bus/fault_clients.h"
#include "tests/contract/bus/fault_traffic.h"
#include "tests/support/sanitized.h"

namespace toolway::test {
namespace {

using faults::OnceEach;
using faults::OpenClients;
using faults::Publications;
using faults::Stored;
using faults::Traffic;

/// Enough that messages flow when the connection breaks.
constexpr std::size_t kFlowing = 100;

/// Also fills `stored`.
void check_stored(bus::Bus& bus, const Publications& publications, Stored& stored) {
  ASSERT_TRUE(publications.all_answered());
  ASSERT_TRUE(Publications::read(bus, "CALLS", stored));
  ASSERT_TRUE(Publications::read(bus, "EVENTS", stored));
  publications.check(stored);
}

/// What had been answered with an error when the server was about to come back.
struct Outage {
  std::vector<std::size_t> refused;
  WallTime end = SystemClock().wall();
};

/// How many of them were sent nevertheless, once the server was back.
std::size_t sent_later(const Outage& outage, const Stored& stored) {
  return static_cast<std::size_t>(
      std::count_if(outage.refused.begin(), outage.refused.end(), [&](std::size_t number) {
        const auto found = stored.find(number);
        return found != stored.end() && found->second.back().stored_at > outage.end;
      }));
}

using ConnectionFaultsContract = BusContract;

TEST_P(ConnectionFaultsContract, LosesNothingAcknowledgedOverRestartsUnderTraffic) {
  constexpr int kRestarts = 4;
  OpenClients clients(bus());
  Publications publications;
  OnceEach questions;
  std::vector<Outage> outages;
  {
    const Traffic traffic(bus(), publications, questions);
    for (int restart = 0; restart < kRestarts; ++restart) {
      ASSERT_TRUE(publications.more_acknowledged(kFlowing)) << "before restart " << restart;
      subject_->lose_connection();
      ASSERT_TRUE(clients.next_change_is(bus::Connection::kDisconnected));
      ASSERT_TRUE(publications.more_refused(kFlowing)) << "in outage " << restart;
      outages.push_back({publications.refused()});
      subject_->restore_connection();
      ASSERT_TRUE(clients.next_change_is(bus::Connection::kConnected));
      ASSERT_TRUE(clients.work()) << "after restart " << restart;
    }
  }
  EXPECT_TRUE(questions.all_called());
  Stored stored;
  check_stored(bus(), publications, stored);
  for (const Outage& outage : outages) EXPECT_EQ(sent_later(outage, stored), 0U);
  EXPECT_EQ(clients.untold_changes(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Both, ConnectionFaultsContract,
                         testing::Values(Implementation::kInMemory, Implementation::kJetStream),
                         implementation_name);

/// The nats-server of `start_nats` as a lame duck needs it: it waits not 10 s, but 300 ms before it
/// closes connections.
std::unique_ptr<local::NatsServer> start_impatient_nats(const std::string& directory) {
  const char* program = std::getenv("TOOLWAY_NATS_SERVER");
  const std::string wrapper = directory + "/impatient-nats-server";
  std::filesystem::create_directories(directory);
  std::ofstream(wrapper) << fmt::format(
      "#!/bin/sh\n"
      "echo 'lame_duck_grace_period: \"300ms\"' >> \"$2\"  # --config FILE\n"
      "exec '{}' \"$@\"\n",
      program == nullptr ? "nats-server" : program);
  std::filesystem::permissions(wrapper, std::filesystem::perms::owner_all);
  auto server = local::NatsServer::start({.program = wrapper, .directory = directory});
  if (!server) throw std::runtime_error(server.error().message);
  return std::move(*server);
}

class JetStreamLameDuck : public testing::Test {
 protected:
  void connect(const std::string& urls) {
    auto connected = bus::connect_jetstream({.url = urls, .name = "test"});
    ASSERT_TRUE(connected) << connected.error().message;
    bus_ = std::move(*connected);
    provision(*bus_);
    clients_ = std::make_unique<OpenClients>(*bus_);
    ASSERT_TRUE(clients_->work());
  }
  static void provision(bus::Bus& bus) {
    const auto provisioned = bus.provision({.pools = {{.name = "native"}}});
    ASSERT_TRUE(provisioned) << provisioned.error().message;
  }
  void TearDown() override {
    clients_.reset();
    bus_.reset();
  }

  TempDir directory_;
  std::unique_ptr<local::NatsServer> server_ = start_impatient_nats(directory_ / "first");
  std::unique_ptr<bus::Bus> bus_;
  std::unique_ptr<OpenClients> clients_;
  Publications publications_;
  OnceEach questions_;
};

TEST_F(JetStreamLameDuck, ReconnectsOnceTheOnlyServerIsBack) {
  ASSERT_NO_FATAL_FAILURE(connect(server_->url()));
  {
    const Traffic traffic(*bus_, publications_, questions_);
    ASSERT_TRUE(publications_.more_acknowledged(kFlowing));
    server_->stop(SIGUSR2);  // and waits until it has ended
    ASSERT_TRUE(clients_->next_change_is(bus::Connection::kDisconnected));
    ASSERT_TRUE(server_->restart());
    ASSERT_TRUE(clients_->next_change_is(bus::Connection::kConnected));
    ASSERT_TRUE(clients_->work());
    ASSERT_TRUE(publications_.more_acknowledged(kFlowing));
  }
  EXPECT_TRUE(questions_.all_called());
  Stored stored;
  check_stored(*bus_, publications_, stored);
  EXPECT_EQ(clients_->untold_changes(), 0U);
}

TEST_F(JetStreamLameDuck, ContinuesAtTheOtherServer) {
  const auto other = start_nats(directory_ / "other");
  provision(*connect_to(*other));
  other->stop(SIGKILL);  // while the client chooses the first one
  ASSERT_NO_FATAL_FAILURE(connect(other->url() + "," + server_->url()));
  ASSERT_TRUE(other->restart());
  {
    const Traffic traffic(*bus_, publications_, questions_);
    ASSERT_TRUE(publications_.more_acknowledged(kFlowing));
    server_->stop(SIGUSR2);
    ASSERT_TRUE(clients_->next_change_is(bus::Connection::kDisconnected));
    ASSERT_TRUE(clients_->next_change_is(bus::Connection::kConnected));
    ASSERT_TRUE(clients_->work());
    ASSERT_TRUE(publications_.more_acknowledged(kFlowing));
  }
  EXPECT_TRUE(questions_.all_called());
  ASSERT_TRUE(publications_.all_answered());
  ASSERT_TRUE(server_->restart());
  Stored stored;
  for (const auto* server : {server_.get(), other.get()}) {
    const auto reader = connect_to(*server);
    for (const char* stream : {"CALLS", "EVENTS"}) {
      ASSERT_TRUE(Publications::read(*reader, stream, stored));
    }
  }
  publications_.check(stored);
  EXPECT_EQ(clients_->untold_changes(), 0U);
}

/// Of this process, in KiB.
std::int64_t resident() {
  std::int64_t total = 0;
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> total >> pages;
  return pages * sysconf(_SC_PAGESIZE) / 1024;
}

class JetStreamSilentServer : public testing::Test {
 protected:
  void SetUp() override {
    const auto provisioned = bus_->provision({.pools = {{.name = "native"}}});
    ASSERT_TRUE(provisioned) << provisioned.error().message;
  }
  /// 256 MiB, many times what sockets hold. Runs `before_each` before each publication.
  void publish_much(const std::function<void()>& before_each) {
    const faults::HangAlarm alarm("publishing to a server that does not read");
    for (int i = 0; i < kMany; ++i) {
      before_each();
      publications_.publish(*bus_, faults::event_subject(), kSize);
    }
  }

  static constexpr std::size_t kSize = 256 * 1024;
  static constexpr int kMany = 1024;

  TempDir directory_;
  std::unique_ptr<local::NatsServer> server_ = start_nats(directory_.path().string());
  std::unique_ptr<bus::Bus> bus_ = connect_to(*server_);
  Publications publications_;
};

TEST_F(JetStreamSilentServer, RefusesWhatItCannotSendAndWorksAfterwards) {
  constexpr std::int64_t kMostKept = 64 * 1024;  // a quarter of all
  OpenClients clients(*bus_);
  ASSERT_TRUE(clients.work());
  std::int64_t most = 0;
  const std::int64_t before = resident();
  {
    const Stopped stopped(server_->pid());
    publish_much([&] { most = std::max(most, resident() - before); });
    ASSERT_TRUE(publications_.all_answered());
    EXPECT_EQ(publications_.acknowledged(), 0U);
    EXPECT_GT(publications_.failed(ErrorCode::kBusUnavailable), 0U) << "all of them were taken";
  }
  EXPECT_LT(most, resident_bound(kMostKept));
  ASSERT_TRUE(clients.work());
  Stored stored;
  check_stored(*bus_, publications_, stored);
}

TEST_F(JetStreamSilentServer, ClosesWithWhatItCannotSend) {
  const Stopped stopped(server_->pid());
  publish_much([] {});
  const faults::HangAlarm alarm("closing a bus whose server does not read");
  bus_.reset();
  EXPECT_TRUE(publications_.all_answered(std::chrono::milliseconds(0)));
}

}  // namespace
}  // namespace toolway::test
