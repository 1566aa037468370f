#include "bus/nats_reconnector.h"

#include <gtest/gtest.h>

#include "tests/support/awaiting.h"

namespace toolway::bus {
namespace {

using test::Awaited;

/// What each attempt comes to, in order; the last one stays.
class Attempts {
 public:
  explicit Attempts(std::vector<natsStatus> answers) : answers_(std::move(answers)) {}

  NatsReconnector::Connect connect() {
    return [this](const std::vector<std::string>& others) -> NatsLink::Connected {
      const auto answer = answers_[std::min(made_++, answers_.size() - 1)];
      asked_.callback()(others);
      return tl::unexpected(answer);
    };
  }
  /// The servers that the next attempt is told of; waits for it.
  std::optional<std::vector<std::string>> next() { return asked_.next(); }

 private:
  const std::vector<natsStatus> answers_;
  std::size_t made_ = 0;  // of the reconnector's thread
  Awaited<std::vector<std::string>> asked_;
};

TEST(NatsReconnectorTest, TriesAgainUntilItIsConnectedAndOnlyWhenAsked) {
  Attempts attempts({NATS_NO_SERVER});
  NatsReconnector reconnector(attempts.connect(), [] { ADD_FAILURE() << "never connected"; });
  EXPECT_EQ(reconnector.take(), nullptr);
  const std::vector<std::string> others{"nats://other:4222"};
  reconnector.ask(others);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(attempts.next(), others);
  EXPECT_EQ(reconnector.take(), nullptr);
}

TEST(NatsReconnectorTest, ARefusalBetweenOtherFailuresIsNotTheLastWord) {
  Attempts attempts(
      {NATS_CONNECTION_AUTH_FAILED, NATS_NO_SERVER, NATS_CONNECTION_AUTH_FAILED, NATS_NO_SERVER});
  NatsReconnector reconnector(attempts.connect(), [] {});
  reconnector.ask({});
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(attempts.next());
}

TEST(NatsReconnectorDeathTest, ServersThatRefuseTwiceInARowEndTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Attempts attempts({NATS_CONNECTION_AUTH_FAILED});
        NatsReconnector reconnector(attempts.connect(), [] {});
        reconnector.ask({});
        while (attempts.next()) {
        }
      },
      testing::ExitedWithCode(EXIT_FAILURE), "");
}

}  // namespace
}  // namespace toolway::bus
