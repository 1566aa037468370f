#include <set>

#include "proto/subjects.h"
#include "tests/contract/bus/bus_fixture.h"

namespace toolway::test {
namespace {

const SessionKey kSession = *SessionKey::parse("a3f00000000000000000000000000001");
const std::string kSubject = proto::call_subject("native", proto::Lane::kNormal, 0, kSession);
const bus::Durable kPool{"CALLS", proto::call_durable("native", proto::Lane::kNormal, 0)};

/// Collects deliveries for the test's thread.
class Inbox {
 public:
  bus::DeliveryHandler handler() {
    return [this](bus::Delivery delivery) {
      const std::scoped_lock lock(mutex_);
      deliveries_.push_back(std::move(delivery));
      arrived_.notify_all();
    };
  }
  std::optional<bus::Delivery> next(std::chrono::milliseconds patience = kPatience) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, patience, [this] { return !deliveries_.empty(); })) {
      return std::nullopt;
    }
    bus::Delivery first = std::move(deliveries_.front());
    deliveries_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<bus::Delivery> deliveries_;
};

/// Long enough to see that nothing comes.
constexpr std::chrono::milliseconds kQuiet{200};

class PullContract : public BusContract {
 protected:
  void publish_calls(int count) {
    for (int i = 0; i < count; ++i) {
      publish_surely({.subject = kSubject, .payload = std::to_string(published_++)});
    }
  }
  int published_ = 0;
  Inbox inbox_;
};

TEST_P(PullContract, DeliversWhatIsAllowedAndNoMore) {
  publish_calls(5);
  const auto pull = bus().pull(kPool, inbox_.handler());
  EXPECT_FALSE(inbox_.next(kQuiet));
  pull->allow(2);
  auto first = inbox_.next();
  auto second = inbox_.next();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->payload, "0");
  EXPECT_EQ(second->payload, "1");
  EXPECT_EQ(first->sequence, 1U);
  EXPECT_EQ(first->delivery_count, 1U);
  EXPECT_EQ(first->subject, kSubject);
  EXPECT_EQ(second->pending, 3U);
  EXPECT_FALSE(inbox_.next(kQuiet));
  pull->allow(1);
  EXPECT_TRUE(inbox_.next());
}

TEST_P(PullContract, WaitsForWhatIsPublishedLater) {
  const auto pull = bus().pull(kPool, inbox_.handler());
  pull->allow(10);
  for (int i = 0; i < 10; ++i) {
    publish_calls(1);
    auto delivery = inbox_.next();
    ASSERT_TRUE(delivery);
    EXPECT_EQ(delivery->payload, std::to_string(i));
    delivery->ack();
  }
}

TEST_P(PullContract, NakDeliversAgainAfterItsDelay) {
  publish_calls(1);
  const auto pull = bus().pull(kPool, inbox_.handler());
  pull->allow(3);
  auto first = inbox_.next();
  ASSERT_TRUE(first);
  first->nak(std::chrono::milliseconds(0));
  auto second = inbox_.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->delivery_count, 2U);
  const auto given_back = std::chrono::steady_clock::now();
  second->nak(std::chrono::milliseconds(300));
  auto third = inbox_.next();
  ASSERT_TRUE(third);
  EXPECT_EQ(third->delivery_count, 3U);
  EXPECT_GE(std::chrono::steady_clock::now() - given_back, std::chrono::milliseconds(290));
  third->ack();
}

TEST_P(PullContract, AckAndTermEndADelivery) {
  publish_calls(2);
  const auto pull = bus().pull(kPool, inbox_.handler());
  pull->allow(2);
  auto first = inbox_.next();
  auto second = inbox_.next();
  ASSERT_TRUE(first && second);
  first->in_progress();
  first->ack();
  second->term();
  // Acks are not confirmed; the floor rises when they have arrived.
  for (;;) {
    Awaited<Result<bus::ConsumerState>> state;
    bus().consumer_state(kPool, state.callback());
    const auto now = state.next();
    ASSERT_TRUE(now && *now);
    if ((*now)->ack_floor == 2) {
      EXPECT_EQ((*now)->ack_pending, 0U);
      break;
    }
  }
}

TEST_P(PullContract, TwoPullersShareTheWork) {
  publish_calls(40);
  Inbox second_inbox;
  const auto first = subject_->bus().pull(kPool, inbox_.handler());
  const auto second = subject_->other().pull(kPool, second_inbox.handler());
  first->allow(20);
  second->allow(20);
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    auto one = inbox_.next();
    auto two = second_inbox.next();
    ASSERT_TRUE(one && two);
    EXPECT_TRUE(seen.insert(one->payload).second);
    EXPECT_TRUE(seen.insert(two->payload).second);
  }
}

TEST_P(PullContract, AsksAgainAfterAReconnect) {
  const auto pull = bus().pull(kPool, inbox_.handler());
  pull->allow(10);
  publish_calls(1);
  auto before = inbox_.next();
  ASSERT_TRUE(before);
  before->ack();
  Awaited<bus::Connection> changes;
  const auto watching = bus().on_connection(changes.callback());
  subject_->lose_connection();
  ASSERT_EQ(changes.next(), bus::Connection::kDisconnected);
  subject_->restore_connection();
  ASSERT_EQ(changes.next(), bus::Connection::kConnected);
  publish_calls(9);
  std::set<std::string> seen;
  while (!seen.contains("9")) {
    auto delivery = inbox_.next();
    ASSERT_TRUE(delivery);
    seen.insert(delivery->payload);  // the first may come again: acks are not a lease
    delivery->ack();
    pull->allow(1);
  }
  EXPECT_GE(seen.size(), 9U);
}

TEST_P(PullContract, StartsWhenTheDurableComesLater) {
  const bus::Durable late{"CALLS", proto::call_durable("late", proto::Lane::kNormal, 0)};
  const auto pull = bus().pull(late, inbox_.handler());
  pull->allow(1);
  EXPECT_FALSE(inbox_.next(kQuiet));
  layout_.pools.push_back({.name = "late"});
  ASSERT_TRUE(bus().provision(layout_));
  publish_surely({.subject = proto::call_subject("late", proto::Lane::kNormal, 0, kSession),
                  .payload = "late"});
  auto delivery = inbox_.next();
  ASSERT_TRUE(delivery);
  EXPECT_EQ(delivery->payload, "late");
}

TEST_P(PullContract, NeverHangsUnderASteadyFlow) {
  constexpr int kMany = 5000;
  const auto pull = bus().pull(kPool, inbox_.handler());
  pull->allow(100);
  Awaited<Result<bus::PubAck>> acks;
  for (int i = 0; i < kMany; ++i) {
    bus().publish({.subject = kSubject, .payload = std::to_string(i)}, acks.callback());
    if (i % 100 == 99) {
      for (int k = 0; k < 100; ++k) {
        auto delivery = inbox_.next();
        ASSERT_TRUE(delivery) << "after " << i;
        delivery->ack();
        pull->allow(1);
      }
    }
  }
}

TEST_P(PullContract, GivesBackWhatComesAfterAStop) {
  publish_calls(1);
  {
    Inbox unused;
    const auto stopped = bus().pull(kPool, unused.handler());
    stopped->stop();
    stopped->allow(1);
    EXPECT_FALSE(unused.next(kQuiet));
  }
  const auto pull = bus().pull(kPool, inbox_.handler());
  pull->allow(1);
  EXPECT_TRUE(inbox_.next());
}

// ack_wait is 30 s, so what an ended pull swallows is missed here.
TEST_P(PullContract, GivesBackWhatComesWhileItEnds) {
  constexpr int kRounds = 20;
  constexpr int kBurst = 200;
  Inbox ended_inbox;
  for (int round = 0; round < kRounds; ++round) {
    auto ended = bus().pull(kPool, ended_inbox.handler());
    ended->allow(kBurst);
    for (int i = 0; i < kBurst; ++i) {
      bus().publish({.subject = kSubject, .payload = std::to_string(published_++)},
                    [](Result<bus::PubAck>) {});
    }
    auto first = ended_inbox.next();
    ASSERT_TRUE(first) << "round " << round;
    first->ack();
    ended.reset();
    int settled = 1;
    while (auto delivery = ended_inbox.next(std::chrono::milliseconds(0))) {
      delivery->ack();
      ++settled;
    }
    auto pull = subject_->other().pull(kPool, inbox_.handler());
    pull->allow(kBurst);
    while (settled < kBurst) {
      auto delivery = inbox_.next();
      ASSERT_TRUE(delivery) << "round " << round << ": " << settled << " of " << kBurst;
      delivery->ack();
      ++settled;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, PullContract,
                         testing::Values(Implementation::kInMemory, Implementation::kJetStream),
                         implementation_name);

}  // namespace
}  // namespace toolway::test
