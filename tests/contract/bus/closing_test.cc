// A bus is destroyed in the midst of all kinds of work, whatever its server does.
#include <csignal>
#include <tuple>

#include "tests/contract/bus/bus_fixture.h"
#include "tests/contract/bus/fault_clients.h"
#include "tests/contract/bus/fault_traffic.h"

namespace toolway::test {
namespace {

using faults::kCall;
using faults::kPool;
using faults::NoneLate;
using faults::OnceEach;

/// What the server does while the bus is closed. `kLost`: killed a moment before; `kBreaking`:
/// killed at that moment; `kSilent`: stopped by SIGSTOP.
enum class Server { kUp, kLost, kBreaking, kSilent };

/// How often a handler must have run before the bus is closed.
constexpr std::size_t kEnough = 20;

/// Asks `bus` again whenever it answers, until it says that it is being closed; and then a little
/// longer, as handlers may. Owned by the handlers.
class Chains : public std::enable_shared_from_this<Chains> {
 public:
  explicit Chains(bus::Bus& bus) : bus_(bus) {}

  void publish() {
    bus_.publish(
        {.subject = ++published_ % 2 == 0 ? kCall : faults::event_subject(), .payload = "x"},
        next<bus::PubAck>(&Chains::publish));
  }
  void read() {
    bus_.next_message("EVENTS", ">", 1, bus::ReadFrom::kLeader,
                      next<bus::StoredMessage>(&Chains::read));
  }
  void look() { bus_.stream_state("CALLS", next<bus::StreamState>(&Chains::look)); }
  void ask() { bus_.request("ctl.mute", "?", next<std::string>(&Chains::ask)); }

  /// Waits until answers flow.
  bool flow() const { return answers_.ran_often(kEnough); }
  void closing() { closing_ = true; }
  /// That each handler was called once, by the end of the bus.
  testing::AssertionResult all_answered() const {
    return answers_.all_called(std::chrono::milliseconds(0));
  }
  /// The bus has gone.
  void end() { answers_.end(); }
  std::size_t late() const { return answers_.late(); }

 private:
  template <typename T>
  std::function<void(Result<T>)> next(void (Chains::*again)()) {
    return answers_.handler<Result<T>>([self = shared_from_this(), again](const Result<T>&) {
      if (!self->closing_ || ++self->after_closing_ < 100) (self.get()->*again)();
    });
  }

  bus::Bus& bus_;
  OnceEach answers_;
  std::atomic<unsigned> published_{0};
  std::atomic<bool> closing_{false};
  std::atomic<int> after_closing_{0};
};

/// A bus, and all kinds of work on it.
class BusyBus {
 public:
  BusyBus(std::unique_ptr<bus::Bus> bus, std::size_t pulls)
      : bus_(std::move(bus)), chains_(std::make_shared<Chains>(*bus_)) {
    const auto ran = [this] { return [counted = others_] { counted.ran(); }; };
    watched_ = bus_->on_connection([count = ran()](bus::Connection) { count(); });
    for (int i = 0; i < kFollowers; ++i) {
      auto followed = bus_->follow("live.>", [heard = heard_, count = ran()](const auto&) {
        heard.ran();
        count();
      });
      EXPECT_TRUE(followed);
      if (followed) subscriptions_.push_back(std::move(*followed));
    }
    auto served = bus_->serve("ctl.mute", "", [count = ran()](bus::Request) { count(); });
    EXPECT_TRUE(served);
    if (served) subscriptions_.push_back(std::move(*served));
    for (std::size_t i = 0; i < pulls; ++i) {
      auto handler = [this, i, pulled = pulled_, count = ran()](bus::Delivery delivery) {
        delivery.ack();
        pullers_[i]->allow(1);
        pulled.ran();
        count();
      };
      pulls_[i] = bus_->pull(kPool, std::move(handler));
      pullers_[i] = pulls_[i].get();
      pulls_[i]->allow(kAllowed);
    }
  }
  ~BusyBus() {
    if (bus_) close();  // the test has failed
  }
  BusyBus(const BusyBus&) = delete;
  BusyBus& operator=(const BusyBus&) = delete;

  /// Waits until messages flow on all of it.
  bool flows() {
    for (std::size_t i = 0; i < kEnough; ++i) {
      for (const std::string& subject : {kCall, faults::event_subject()}) {
        bus_->publish({.subject = subject, .payload = "x"}, [](const Result<bus::PubAck>&) {});
      }
    }
    if (!heard_.ran_often(kEnough) || (pulls_[0] && !pulled_.ran_often(kEnough))) return false;
    for (int i = 0; i < kChains; ++i) {
      chains_->publish();
      chains_->read();
      chains_->look();
      chains_->ask();
    }
    return chains_->flow();
  }

  /// As its owner does: first what was opened on it, one pull by another thread, then itself.
  void close() {
    chains_->closing();
    std::thread drain([this] { pulls_[1].reset(); });
    subscriptions_.clear();
    watched_.reset();
    pulls_[0].reset();
    drain.join();
    others_.end();
    bus_.reset();
    chains_->end();
    EXPECT_TRUE(chains_->all_answered());
  }
  std::size_t late() const { return chains_->late() + others_.late(); }

 private:
  static constexpr int kChains = 8;
  static constexpr int kFollowers = 16;  // the last ends long after the first
  static constexpr std::size_t kAllowed =
      16;  // what is lost with the server comes only after its ack_wait

  std::unique_ptr<bus::Bus> bus_;
  const std::shared_ptr<Chains> chains_;
  NoneLate heard_;
  NoneLate pulled_;
  NoneLate others_;
  std::unique_ptr<bus::Subscription> watched_;
  std::vector<std::unique_ptr<bus::Subscription>> subscriptions_;
  std::array<std::unique_ptr<bus::PullConsumer>, 2> pulls_;
  std::array<bus::PullConsumer*, 2> pullers_{};  // their handlers run until they have gone
};

class ClosingContract : public testing::TestWithParam<std::tuple<Implementation, Server, int>> {
 protected:
  ClosingContract() {
    if (std::get<Implementation>(GetParam()) == Implementation::kInMemory) return;
    nats_ = start_nats(directory_.path().string());
    feeder_ = connect_to(*nats_);
    provision(*feeder_);
    traffic_ = std::make_unique<faults::Traffic>(*feeder_, published_, questions_);
  }
  static void provision(bus::Bus& bus) {
    const auto provisioned = bus.provision({.pools = {{.name = "native"}}});
    ASSERT_TRUE(provisioned) << provisioned.error().message;
  }

  /// The end of a pull waits up to 2 s for a server that does not answer: not in every round then.
  static std::size_t pulls_in(int round) {
    return std::get<Server>(GetParam()) == Server::kUp || round % 4 == 0 ? 2 : 0;
  }

  void round(BusyBus& busy, bus::InMemoryBus* in_memory) {
    ASSERT_TRUE(busy.flows());
    const Server server = std::get<Server>(GetParam());
    std::thread breaking;
    const auto lose = [&] { nats_ ? nats_->stop(SIGKILL) : in_memory->disconnect(); };
    if (server == Server::kLost) lose();
    if (server == Server::kBreaking) breaking = std::thread(lose);
    std::optional<Stopped> stopped;
    if (server == Server::kSilent) stopped.emplace(nats_->pid());
    {
      const faults::HangAlarm alarm("closing a bus");
      busy.close();
    }
    if (breaking.joinable()) breaking.join();
  }

  TempDir directory_;
  std::unique_ptr<local::NatsServer> nats_;  // none: the bus is in memory
  std::unique_ptr<bus::Bus> feeder_;
  faults::Publications published_;
  OnceEach questions_;
  std::unique_ptr<faults::Traffic> traffic_;
};

TEST_P(ClosingContract, AnswersAllAndCallsNoHandlerAfterwards) {
  std::vector<std::unique_ptr<BusyBus>> closed;  // kept, to see what comes late
  for (int i = 0; i < std::get<int>(GetParam()); ++i) {
    std::unique_ptr<bus::Bus> bus;
    bus::InMemoryBus* in_memory = nullptr;
    if (nats_) {
      ASSERT_TRUE(nats_->alive() || nats_->restart());
      bus = connect_to(*nats_);
    } else {
      auto made = bus::make_in_memory_bus();
      in_memory = made.get();
      bus = std::move(made);
      provision(*bus);
    }
    closed.push_back(std::make_unique<BusyBus>(std::move(bus), pulls_in(i)));
    ASSERT_NO_FATAL_FAILURE(round(*closed.back(), in_memory)) << "round " << i;
  }
  traffic_.reset();
  EXPECT_TRUE(published_.all_answered());
  EXPECT_TRUE(questions_.all_called());
  for (const auto& busy : closed) EXPECT_EQ(busy->late(), 0U);
}

std::string scene_name(const testing::TestParamInfo<ClosingContract::ParamType>& info) {
  constexpr std::array kNames{"Up", "Lost", "Breaking", "Silent"};
  return implementation_name({std::get<Implementation>(info.param), info.index}) + "With" +
         kNames.at(static_cast<std::size_t>(std::get<Server>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, ClosingContract,
    testing::Values(std::tuple(Implementation::kInMemory, Server::kUp, 50),
                    std::tuple(Implementation::kInMemory, Server::kLost, 50),
                    std::tuple(Implementation::kJetStream, Server::kUp, 40),
                    std::tuple(Implementation::kJetStream, Server::kLost, 8),
                    std::tuple(Implementation::kJetStream, Server::kBreaking, 8),
                    std::tuple(Implementation::kJetStream, Server::kSilent, 8)),
    scene_name);

using EndingContract = BusContract;

TEST_P(EndingContract, CallsNoHandlerOfAnEndedSubscription) {
  constexpr int kRounds = 400;
  constexpr int kAtOnce = 8;
  faults::Publications publications;
  OnceEach questions;
  std::vector<NoneLate> ended;
  {
    const faults::Traffic traffic(bus(), publications, questions);
    for (int round = 0; round < kRounds; ++round) {
      const NoneLate heard;
      std::vector<std::unique_ptr<bus::Subscription>> open;
      for (int i = 0; i < kAtOnce; ++i) {
        auto followed = bus().follow("live.>", [heard](const auto&) { heard.ran(); });
        ASSERT_TRUE(followed) << followed.error().message;
        open.push_back(std::move(*followed));
      }
      ASSERT_TRUE(heard.ran_often(1)) << "round " << round;
      open.clear();
      heard.end();
      ended.push_back(heard);
    }
  }
  EXPECT_TRUE(publications.all_answered());
  EXPECT_TRUE(questions.all_called());
  for (const NoneLate& heard : ended) EXPECT_EQ(heard.late(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Both, EndingContract,
                         testing::Values(Implementation::kInMemory, Implementation::kJetStream),
                         implementation_name);

}  // namespace
}  // namespace toolway::test
