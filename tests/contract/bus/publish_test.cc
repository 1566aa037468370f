#include <fmt/format.h>

#include "proto/subjects.h"
#include "tests/contract/bus/bus_fixture.h"

namespace toolway::test {
namespace {

const SessionKey kSession = *SessionKey::parse("a3f00000000000000000000000000001");

std::string new_event_subject() {
  return proto::event_subject(kSession, CallId::make(SystemClock().wall()));
}

using PublishContract = BusContract;

TEST_P(PublishContract, GivesEveryPubAckItsSequence) {
  const std::string subject = new_event_subject();
  const auto first = publish({.subject = subject, .payload = "1"});
  const auto second = publish({.subject = subject, .payload = "2"});
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(second);
  EXPECT_EQ(first->sequence, 1U);
  EXPECT_EQ(second->sequence, 2U);
}

TEST_P(PublishContract, StoresAMessageIdOnce) {
  const std::string subject = proto::call_subject("native", proto::Lane::kNormal, 0, kSession);
  const auto first = publish({.subject = subject, .payload = "x", .message_id = "a.0"});
  const auto again = publish({.subject = subject, .payload = "x", .message_id = "a.0"});
  const auto next = publish({.subject = subject, .payload = "x", .message_id = "a.1"});
  ASSERT_TRUE(first && again && next);
  EXPECT_FALSE(first->duplicate);
  EXPECT_TRUE(again->duplicate);
  EXPECT_EQ(again->sequence, first->sequence);
  EXPECT_FALSE(next->duplicate);
}

TEST_P(PublishContract, RefusesWhatDoesNotFollow) {
  const std::string subject = new_event_subject();
  const auto first = publish({.subject = subject, .payload = "1", .expected_last = 0});
  ASSERT_TRUE(first) << first.error().message;
  const auto twice = publish({.subject = subject, .payload = "1", .expected_last = 0});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, ErrorCode::kWrongLastSequence);
  const auto next = publish({.subject = subject, .payload = "2", .expected_last = first->sequence});
  EXPECT_TRUE(next);
}

TEST_P(PublishContract, OneOfManyWritersWinsEachLink) {
  const std::string subject = new_event_subject();
  std::uint64_t last = 0;
  for (int link = 0; link < 20; ++link) {
    Awaited<Result<bus::PubAck>> acks;
    for (int writer = 0; writer < 8; ++writer) {
      bus::Bus& from = writer % 2 == 0 ? subject_->bus() : subject_->other();
      from.publish({.subject = subject, .payload = "x", .expected_last = last}, acks.callback());
    }
    int accepted = 0;
    for (int writer = 0; writer < 8; ++writer) {
      const auto ack = acks.next();
      ASSERT_TRUE(ack);
      if (*ack) {
        ++accepted;
        last = (*ack)->sequence;
      } else {
        EXPECT_EQ(ack->error().code, ErrorCode::kWrongLastSequence);
      }
    }
    EXPECT_EQ(accepted, 1);
  }
}

TEST_P(PublishContract, RefusesASubjectThatNoStreamTakes) {
  const auto ack = publish({.subject = "nowhere.at.all", .payload = "x"});
  ASSERT_FALSE(ack);
  EXPECT_EQ(ack.error().code, ErrorCode::kBusUnavailable);
}

TEST_P(PublishContract, SaysWhenItIsCertainlyNotSent) {
  Awaited<bus::Connection> changes;
  const auto watching = bus().on_connection(changes.callback());
  subject_->lose_connection();
  ASSERT_EQ(changes.next(), bus::Connection::kDisconnected);
  EXPECT_EQ(bus().connection(), bus::Connection::kDisconnected);
  const auto ack = publish({.subject = new_event_subject(), .payload = "x"});
  ASSERT_FALSE(ack);
  EXPECT_EQ(ack.error().code, ErrorCode::kBusUnavailable);
  subject_->restore_connection();
  ASSERT_EQ(changes.next(), bus::Connection::kConnected);
  publish_surely({.subject = new_event_subject(), .payload = "x"});
}

TEST_P(PublishContract, KeepsWhatItAcknowledgedOverARestart) {
  const std::string subject = new_event_subject();
  const auto before = publish({.subject = subject, .payload = "kept", .expected_last = 0});
  ASSERT_TRUE(before);
  Awaited<bus::Connection> changes;
  const auto watching = bus().on_connection(changes.callback());
  subject_->lose_connection();
  ASSERT_EQ(changes.next(), bus::Connection::kDisconnected);
  subject_->restore_connection();
  ASSERT_EQ(changes.next(), bus::Connection::kConnected);
  publish_surely({.subject = new_event_subject(), .payload = "x"});
  const auto refused = publish({.subject = subject, .payload = "again", .expected_last = 0});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kWrongLastSequence);
}

TEST_P(PublishContract, CallsEveryHandlerOnceUnderLoad) {
  constexpr int kMany = 3000;
  Awaited<Result<bus::PubAck>> acks;
  for (int i = 0; i < kMany; ++i) {
    bus().publish({.subject = new_event_subject(), .payload = "x", .expected_last = 0},
                  acks.callback());
  }
  std::vector<bool> seen(kMany + 1);
  for (int i = 0; i < kMany; ++i) {
    const auto ack = acks.next();
    ASSERT_TRUE(ack);
    ASSERT_TRUE(*ack) << ack->error().message;
    ASSERT_LE((*ack)->sequence, static_cast<std::uint64_t>(kMany));
    EXPECT_FALSE(seen[(*ack)->sequence]);
    seen[(*ack)->sequence] = true;
  }
}

TEST_P(PublishContract, ProvisioningAgainChangesNothing) {
  const auto before = publish({.subject = new_event_subject(), .payload = "x"});
  ASSERT_TRUE(before);
  layout_.pools.push_back({.name = "python"});
  const auto again = bus().provision(layout_);
  ASSERT_TRUE(again) << again.error().message;
  const auto after = publish({.subject = new_event_subject(), .payload = "x"});
  ASSERT_TRUE(after);
  EXPECT_EQ(after->sequence, before->sequence + 1);
}

// nats-server 2.9 shows another time of creation after these four steps.
TEST_P(PublishContract, AStreamKeepsItsIncarnationWhenItIsChangedBetweenRestarts) {
  const auto incarnation = [this] {
    Awaited<Result<bus::StreamState>> states;
    for (;;) {
      bus().stream_state("EVENTS", states.callback());
      if (const auto state = states.next(); state && *state) return (*state)->incarnation;
    }
  };
  Awaited<bus::Connection> changes;
  const auto watching = bus().on_connection(changes.callback());
  const auto restart = [&] {
    subject_->lose_connection();
    ASSERT_EQ(changes.next(), bus::Connection::kDisconnected);
    subject_->restore_connection();
    ASSERT_EQ(changes.next(), bus::Connection::kConnected);
    publish_surely({.subject = new_event_subject(), .payload = "x"});
  };
  const auto first = incarnation();
  restart();
  layout_.max_bytes /= 2;
  const auto changed = bus().provision(layout_);
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(incarnation(), first);
  restart();
  EXPECT_EQ(incarnation(), first);
}

TEST_P(PublishContract, AnswersEachOfABurstByItself) {
  constexpr std::size_t kMany = 50;
  std::vector<bus::Publication> all;
  for (std::size_t i = 0; i < kMany; ++i) {
    all.push_back({.subject = proto::call_subject("native", proto::Lane::kNormal, 0, kSession),
                   .payload = "x",
                   .message_id = fmt::format("id-{}", i == 30 ? 3 : i)});
  }
  all[40].expected_last = 4711;
  std::vector<Awaited<Result<bus::PubAck>>> acks(kMany);
  bus().in_one_turn([&] {
    for (std::size_t i = 0; i < kMany; ++i) bus().publish(all[i], acks[i].callback());
  });
  std::vector<bus::PubAck> stored;
  for (std::size_t i = 0; i < kMany; ++i) {
    const auto ack = acks[i].next();
    ASSERT_TRUE(ack);
    if (i == 40) {
      ASSERT_FALSE(*ack);
      EXPECT_EQ(ack->error().code, ErrorCode::kWrongLastSequence);
      stored.emplace_back();
      continue;
    }
    ASSERT_TRUE(*ack) << ack->error().message;
    EXPECT_EQ((*ack)->duplicate, i == 30);
    stored.push_back(**ack);
  }
  EXPECT_EQ(stored[30].sequence, stored[3].sequence);
  EXPECT_EQ(stored[49].sequence, kMany - 2);
}

INSTANTIATE_TEST_SUITE_P(Both, PublishContract,
                         testing::Values(Implementation::kInMemory, Implementation::kJetStream),
                         implementation_name);

}  // namespace
}  // namespace toolway::test
