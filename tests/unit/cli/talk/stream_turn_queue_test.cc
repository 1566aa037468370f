#include "cli/talk/stream_turn_queue.h"

#include <gtest/gtest.h>

#include "base/ids.h"
#include "bus/answer.h"
#include "bus/in_memory_bus.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "tests/support/test_clock.h"

namespace toolway::cli::talk {
namespace {

class StreamTurnQueueTest : public ::testing::Test {
 protected:
  StreamTurnQueueTest() { EXPECT_TRUE(bus_->provision({.pools = {{"chat", 1}}})); }

  static std::string subject_of(const SessionKey& session) {
    return proto::call_subject("chat", proto::Lane::kNormal, 0, session);
  }
  /// The sequence of its message.
  std::uint64_t publish(const SessionKey& session, std::string payload) {
    const auto ack = bus::answer_of<bus::PubAck>([&](auto handler) {
      bus_->publish({.subject = subject_of(session), .payload = std::move(payload)},
                    std::move(handler));
    });
    EXPECT_TRUE(ack);
    return ack ? ack->sequence : 0;
  }
  static v1::CallRequest turn(const SessionKey& session) {
    v1::CallRequest call;
    call.set_call_id(CallId::make(WallTime{}).text());
    call.set_tenant_id("default");
    call.set_session_key(session.text());
    call.set_session_id("s");
    call.set_pool("chat");
    call.set_arguments(R"({"content": "hi"})");
    return call;
  }

  std::unique_ptr<bus::InMemoryBus> bus_ = bus::make_in_memory_bus();
  test::StoppedClock clock_;
  StreamTurnQueue queue_{*bus_, clock_};
  const SessionKey session_ = SessionKey::make();
};

TEST_F(StreamTurnQueueTest, FindsTheFirstOfASessionFromAPlaceOn) {
  const auto other = SessionKey::make();
  const auto first = turn(session_);
  const auto second = turn(session_);
  publish(other, proto::encode(turn(other)));
  const auto at = publish(session_, proto::encode(first));
  const auto next = publish(session_, proto::encode(second));
  const auto subject = subject_of(session_);
  const auto found = queue_.next({{subject, 1}, {subject, at + 1}, {subject, next + 1}});
  ASSERT_EQ(found.size(), 3U);
  ASSERT_TRUE(found[0] && *found[0]);
  EXPECT_EQ((*found[0])->id, first.call_id());
  EXPECT_EQ((*found[0])->sequence, at);
  EXPECT_EQ((*found[0])->arguments, R"({"content": "hi"})");
  ASSERT_TRUE(found[1] && *found[1]);
  EXPECT_EQ((*found[1])->id, second.call_id());
  ASSERT_TRUE(found[2]);
  EXPECT_FALSE(*found[2]);
}

TEST_F(StreamTurnQueueTest, WhatCannotBeReadHasNoId) {
  publish(session_, "garbage");
  const auto found = queue_.next({{subject_of(session_), 1}});
  ASSERT_TRUE(found[0] && *found[0]);
  EXPECT_EQ((*found[0])->id, "");
}

TEST_F(StreamTurnQueueTest, WithoutNatsNothingIsSaid) {
  bus_->disconnect();
  EXPECT_FALSE(queue_.next({{subject_of(session_), 1}})[0]);
}

}  // namespace
}  // namespace toolway::cli::talk
