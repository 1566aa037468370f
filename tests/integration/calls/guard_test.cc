// What a gateway refuses early, and how it recovers without a person, on real NATS and Postgres.
#include "base/json.h"
#include "tests/integration/calls/fleet.h"

namespace toolway {
namespace {

class GuardedCalls : public test::Fleet {
 protected:
  cli::client::HttpAnswer post(const std::string& session = "s",
                               const std::string& tool = "throws") {
    return ask(first_, "POST", "/v1/sessions/" + session + "/calls", R"({"tool":")" + tool + "\"}");
  }
  /// Calls until the answer has this status; its code, or empty.
  std::string post_until(int status, const std::string& session = "s") {
    const auto deadline = std::chrono::steady_clock::now() + test::kPatience;
    while (std::chrono::steady_clock::now() < deadline) {
      const auto answer = post(session);
      if (answer.status == status) return status == 202 ? "accepted" : text(answer, "code");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return {};
  }
  std::vector<std::string> subjects() {
    std::vector<std::string> found;
    for (std::uint64_t next = 1;;) {
      test::Awaited<Result<bus::StoredMessage>> got;
      bus_->next_message(proto::kCallsStream, "call.>", next, bus::ReadFrom::kLeader,
                         got.callback());
      auto message = got.next();
      if (!message || !*message) return found;
      next = (*message)->sequence + 1;
      found.push_back((*message)->subject);
    }
  }
};

TEST_F(GuardedCalls, AQueueThatIsFullRefusesUntilItIsWorkedOff) {
  gateway::GatewayOptions options{.port = 0};
  options.guard.pool_queue = 5;
  start(first_, options);
  EXPECT_EQ(post_until(503), "queue_full");
  EXPECT_NE(first_.metrics->scrape().find("toolway_guard_refusing{reason=\"queue_full\"} 1"),
            std::string::npos);
  start_worker();
  EXPECT_EQ(post_until(202), "accepted");
}

TEST_F(GuardedCalls, ASessionOverItsShareGoesToBulkAndThenIsRefusedWhileOthersAreNot) {
  gateway::GatewayOptions options{.port = 0};
  options.guard.shares = {
      .session_bulk = 3, .user_bulk = 1000, .session_most = 50, .user_most = 1000};
  start(first_, options);
  open("other");
  for (int i = 0; i < 40 && (i == 0 || subjects().back().starts_with("call.native.normal.")); ++i) {
    EXPECT_EQ(post().status, 202);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the queue is asked every second
  }
  EXPECT_TRUE(subjects().front().starts_with("call.native.normal.0."));
  EXPECT_TRUE(subjects().back().starts_with("call.native.bulk.0.")) << subjects().back();
  EXPECT_EQ(post_until(429), "too_many_calls");
  EXPECT_EQ(post("other").status, 202);
  const auto all = subjects();
  EXPECT_TRUE(all.back().starts_with("call.native.normal.0.")) << all.back();
  start_worker();  // which takes both lanes
  EXPECT_EQ(post_until(202), "accepted");
}

class GuardedPools : public GuardedCalls {
 protected:
  bus::Layout layout() const override { return {.pools = {{"other"}}}; }
};

TEST_F(GuardedPools, APoolWithoutAQueueIsRefusedUntilItHasOne) {
  EXPECT_EQ(post_until(503), "pool_unavailable");
  ASSERT_TRUE(bus_->provision({.pools = {{"native", 2}}}));
  EXPECT_EQ(post_until(202), "accepted");
}

class GuardedStreams : public GuardedCalls {
 protected:
  bus::Layout layout() const override { return {.pools = {{"native"}}, .max_bytes = 64 * 1024}; }
};

TEST_F(GuardedStreams, WhatIsNotRecordedFillsTheStreamHalfAndNoMore) {
  EXPECT_EQ(post_until(503), "collector_behind");
  const auto all = subjects();
  EXPECT_FALSE(all.empty());
  start_collector();
  EXPECT_EQ(post_until(202), "accepted");
}

TEST_F(GuardedCalls, WithoutTheBusCallsAreRefusedAtOnceAndTakenWhenItIsBack) {
  EXPECT_EQ(post().status, 202);
  nats_->stop(SIGKILL);
  // What was sent before the connection was seen to be gone may have been stored.
  auto code = post_until(503);
  for (int i = 0; i < 100 && code == "accept_unknown"; ++i) code = post_until(503);
  EXPECT_EQ(code, "bus_unavailable");
  ASSERT_TRUE(nats_->restart());
  EXPECT_EQ(post_until(202), "accepted");
}

}  // namespace
}  // namespace toolway
