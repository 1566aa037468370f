#include "bus/key_value.h"

#include <gtest/gtest.h>

#include <set>

#include "bus/in_memory_bus.h"
#include "tests/support/awaiting.h"
#include "tests/support/forwarding_bus.h"

namespace toolway::bus {
namespace {

/// A bus one of whose replicas lacks the end of every stream.
class LaggingBus : public test::ForwardingBus {
 public:
  using ForwardingBus::ForwardingBus;
  void next_message(std::string_view stream, std::string filter, std::uint64_t sequence,
                    ReadFrom from, MessageHandler handler) override {
    if (from == ReadFrom::kLeader) {
      ++leader_asked;
      return inner().next_message(stream, std::move(filter), sequence, from, std::move(handler));
    }
    inner().next_message(stream, std::move(filter), sequence, from,
                         [this, then = std::move(handler)](Result<StoredMessage> message) {
                           if (message && message->sequence > replica_has)
                             return then(fail(ErrorCode::kNotFound, "not there yet"));
                           then(std::move(message));
                         });
  }
  std::uint64_t replica_has = UINT64_MAX;
  int leader_asked = 0;
};

/// One whose buckets have this number of replicas, and which counts what it is asked.
class CountingBus : public test::ForwardingBus {
 public:
  CountingBus(Bus& inner, std::uint32_t replicas) : ForwardingBus(inner), replicas_(replicas) {}
  void last_message(std::string_view stream, std::string subject, ReadFrom from,
                    MessageHandler handler) override {
    ++(from == ReadFrom::kLeader ? leader_asked : replica_asked);
    inner().last_message(stream, std::move(subject), from, std::move(handler));
  }
  void stream_state(std::string_view stream,
                    std::function<void(Result<StreamState>)> handler) override {
    ++state_asked;
    inner().stream_state(stream, [this, then = std::move(handler)](Result<StreamState> state) {
      if (state) state->replicas = replicas_;
      then(std::move(state));
    });
  }
  int leader_asked = 0;
  int replica_asked = 0;
  int state_asked = 0;

 private:
  const std::uint32_t replicas_;
};

class KeyValueTest : public testing::Test {
 protected:
  static constexpr int kEntries = 2000;
  void SetUp() override {
    inner_ = make_in_memory_bus({});
    ASSERT_TRUE(inner_->provision({.pools = {{"native", 1}}}));
    KeyValue bucket(*inner_, "api_keys");
    test::Awaited<Result<std::uint64_t>> puts;
    for (int i = 0; i < kEntries; ++i) {
      bucket.put("k" + std::to_string(i), "v", 0, puts.callback());
      const auto put = puts.next();
      ASSERT_TRUE(put && *put) << (*put).error().message;
    }
  }
  std::size_t listed(LaggingBus& bus) {
    KeyValue bucket(bus, "api_keys");
    test::Awaited<Result<std::vector<Entry>>> lists;
    bucket.list(lists.callback());
    const auto all = lists.next();
    if (!all || !*all) return 0;
    std::set<std::string> keys;
    for (const auto& entry : **all) keys.insert(entry.key);
    return keys.size();
  }
  std::unique_ptr<Bus> inner_;
};

TEST_F(KeyValueTest, AListComesFromAnyReplica) {
  LaggingBus bus(*inner_);
  EXPECT_EQ(listed(bus), kEntries);
  EXPECT_LE(bus.leader_asked, 1) << "whether that was the end";
}

TEST_F(KeyValueTest, OnlyTheLeaderSaysThatThereIsNone) {
  test::Awaited<Result<Entry>> entries;
  const auto ask = [&](KeyValue& bucket, int times) {
    for (int i = 0; i < times; ++i) {
      bucket.get("none", entries.callback());
      const auto entry = entries.next();
      ASSERT_TRUE(entry);
      EXPECT_EQ(entry->error().code, ErrorCode::kNotFound);
    }
  };
  CountingBus three(*inner_, 3);
  KeyValue replicated(three, "api_keys");
  ask(replicated, 10);
  EXPECT_EQ(three.leader_asked, 10);
  EXPECT_EQ(three.state_asked, 1) << "what it said is remembered, too";
  CountingBus one(*inner_, 1);
  KeyValue alone(one, "api_keys");
  ask(alone, 1500);
  EXPECT_EQ(one.replica_asked, 1500);
  EXPECT_LE(one.leader_asked, 4) << "a single server is the leader";
  EXPECT_EQ(one.leader_asked, one.state_asked);
  EXPECT_GE(one.state_asked, 2) << "it may have become one of three";
}

TEST_F(KeyValueTest, WhatAReplicaLacksComesFromTheLeader) {
  for (const std::uint64_t has : {0U, 1U, 700U, 1999U}) {
    LaggingBus bus(*inner_);
    bus.replica_has = has;
    EXPECT_EQ(listed(bus), kEntries) << has;
    EXPECT_GE(bus.leader_asked, kEntries - static_cast<int>(has));
  }
}

}  // namespace
}  // namespace toolway::bus
