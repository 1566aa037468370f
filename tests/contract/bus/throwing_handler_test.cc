// A handler for which there is no memory: the process stays up, and what is promised to others is
// kept.
#include <atomic>
#include <new>

#include "proto/subjects.h"
#include "tests/contract/bus/bus_fixture.h"

namespace toolway::test {
namespace {

const SessionKey kSession = *SessionKey::parse("a3f00000000000000000000000000001");
const std::string kCall = proto::call_subject("native", proto::Lane::kNormal, 0, kSession);
const bus::Durable kPool{"CALLS", proto::call_durable("native", proto::Lane::kNormal, 0)};

class ThrowingHandlerContract : public BusContract {
 protected:
  /// Throws the first time that it is called.
  void once() {
    if (!thrown_.exchange(true)) throw std::bad_alloc();
  }
  std::atomic<bool> thrown_{false};
};

TEST_P(ThrowingHandlerContract, ADeliveryIsDroppedAndTheNextOneComes) {
  Awaited<std::string> got;
  auto pull = bus().pull(kPool, [this, told = got.callback()](bus::Delivery delivery) {
    once();
    delivery.ack();
    told(delivery.payload);
  });
  pull->allow(2);
  publish_surely({.subject = kCall, .payload = "dropped"});
  publish_surely({.subject = kCall, .payload = "next"});
  EXPECT_EQ(got.next(), "next");
  std::uint64_t left = 2;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (left == 2 && std::chrono::steady_clock::now() < until) {
    Awaited<Result<bus::ConsumerState>> state;
    bus().consumer_state(kPool, state.callback());
    const auto answer = state.next();
    ASSERT_TRUE(answer && *answer);
    left = (*answer)->ack_pending;
  }
  EXPECT_EQ(left, 1U) << "the first comes again after its ack_wait";
  pull.reset();  // does not wait for a handler that has thrown
}

TEST_P(ThrowingHandlerContract, AQuestionIsDroppedAndTheNextOneAnswered) {
  auto served = bus().serve("ctl.scarce", "", [this](bus::Request request) {
    once();
    request.answer("heard");
  });
  ASSERT_TRUE(served);
  Awaited<Result<bus::StreamState>> known;
  bus().stream_state("CALLS", known.callback());
  ASSERT_TRUE(known.next());
  std::vector<std::string> answers;
  for (int i = 0; i < 2; ++i) {
    Awaited<Result<std::string>> answer;
    subject_->other().request("ctl.scarce", "?", answer.callback());
    const auto said = answer.next();
    ASSERT_TRUE(said) << "its handler always runs";
    answers.push_back(*said ? **said : "none");
  }
  EXPECT_EQ(answers, (std::vector<std::string>{"none", "heard"}));
  served->reset();
}

TEST_P(ThrowingHandlerContract, AnAnswerIsDroppedAndTheNextOneComes) {
  Awaited<int> called;
  bus().publish({.subject = kCall, .payload = "1"},
                [this, told = called.callback()](const Result<bus::PubAck>&) {
                  told(1);
                  once();
                });
  ASSERT_TRUE(called.next());
  EXPECT_EQ(publish_surely({.subject = kCall, .payload = "2"}).sequence, 2U);
  EXPECT_EQ(called.waiting(), 0U) << "it has had its answer";
}

TEST_P(ThrowingHandlerContract, ALiveMessageIsDroppedAndTheNextOneComes) {
  Awaited<std::string> live;
  const auto followed =
      bus().follow("live.>", [this, told = live.callback()](const bus::LiveMessage& message) {
        once();
        told(std::string(message.payload));
      });
  ASSERT_TRUE(followed);
  const auto subject = proto::event_subject(kSession, CallId::make(SystemClock().wall()));
  publish_surely({.subject = subject, .payload = "1"});
  publish_surely({.subject = subject, .payload = "2"});
  EXPECT_EQ(live.next(), "2");
}

TEST_P(ThrowingHandlerContract, AChangeOfTheConnectionIsDroppedAndTheNextOneTold) {
  Awaited<bus::Connection> changes;
  const auto watched =
      bus().on_connection([this, told = changes.callback()](bus::Connection state) {
        once();
        told(state);
      });
  subject_->lose_connection();
  subject_->restore_connection();
  EXPECT_EQ(changes.next(), bus::Connection::kConnected);
}

INSTANTIATE_TEST_SUITE_P(Both, ThrowingHandlerContract,
                         testing::Values(Implementation::kInMemory, Implementation::kJetStream),
                         implementation_name);

}  // namespace
}  // namespace toolway::test
