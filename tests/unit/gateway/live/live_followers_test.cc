#include "gateway/live/live_followers.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace toolway::gateway::live {
namespace {

struct Sink final : LiveSink {
  void on_live(const LiveEventPtr& event) override { seen.push_back(event->sequence); }
  void on_connection(bus::Connection state) override { states.push_back(state); }
  std::vector<std::uint64_t> seen;
  std::vector<bus::Connection> states;
};

constexpr const char* kName = "session";
constexpr std::size_t kMany = 3 * LiveFollowers::kSlice;

class LiveFollowersTest : public testing::Test {
 protected:
  void follow(std::size_t count) {
    sinks_.resize(count);
    for (auto& sink : sinks_) followers_->add(kName, sink);
  }
  bool tell(std::uint64_t sequence, std::size_t bytes = 100) {
    return followers_->tell(kName, std::make_shared<const LiveEvent>(LiveEvent{
                                       .event = {}, .sequence = sequence, .bytes = bytes}));
  }
  std::size_t told() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(sinks_, [](const Sink& sink) { return !sink.seen.empty(); }));
  }

  asio::io_context io_{1};
  std::shared_ptr<LiveFollowers> followers_ = std::make_shared<LiveFollowers>(io_.get_executor());
  std::vector<Sink> sinks_;
};

TEST_F(LiveFollowersTest, FewAreToldAtOnce) {
  follow(LiveFollowers::kSlice);
  EXPECT_TRUE(tell(1));
  EXPECT_EQ(told(), sinks_.size());
  EXPECT_EQ(io_.poll(), 0U);
}

TEST_F(LiveFollowersTest, ManyAreToldInSeveralTurnsAndInOrder) {
  follow(kMany);
  EXPECT_TRUE(tell(1));
  EXPECT_TRUE(tell(2));
  EXPECT_EQ(told(), 0U);
  io_.run_one();
  EXPECT_EQ(told(), LiveFollowers::kSlice);
  io_.run_one();
  EXPECT_EQ(told(), 2 * LiveFollowers::kSlice);
  io_.run();
  for (const auto& sink : sinks_) EXPECT_EQ(sink.seen, (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(LiveFollowersTest, OneTurnTellsNoMoreOfManyEventsEither) {
  follow(LiveFollowers::kSlice / 2);
  for (const std::uint64_t sequence : {1, 2, 3, 4, 5}) EXPECT_TRUE(tell(sequence));
  EXPECT_EQ(sinks_.back().seen.size(), 2U);
  io_.run();
  for (const auto& sink : sinks_) EXPECT_EQ(sink.seen, (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST_F(LiveFollowersTest, WhoEndsInBetweenTakesNothingFromOthers) {
  follow(kMany);
  EXPECT_TRUE(tell(1));
  io_.run_one();
  followers_->remove(kName, sinks_.data());
  followers_->remove(kName, &sinks_.back());
  io_.run();
  EXPECT_EQ(told(), kMany - 1) << "all that are still there";
  EXPECT_TRUE(sinks_.back().seen.empty());
  for (const auto& sink : sinks_) EXPECT_LE(sink.seen.size(), 1U);
}

TEST_F(LiveFollowersTest, AGapDropsWhatWaitsAndReachesAll) {
  follow(kMany);
  EXPECT_TRUE(tell(1));
  io_.run_one();
  followers_->tell_all(bus::Connection::kGap);
  EXPECT_TRUE(tell(2));
  io_.run();
  for (const auto& sink : sinks_) {
    EXPECT_EQ(sink.states, std::vector{bus::Connection::kGap});
    EXPECT_EQ(sink.seen.back(), 2U);
  }
  EXPECT_EQ(sinks_.back().seen.size(), 1U) << "before the gap";
}

TEST_F(LiveFollowersTest, RefusesWhatWouldWaitAboveItsLimit) {
  follow(kMany);
  EXPECT_TRUE(tell(1, LiveFollowers::kMaxWaitingBytes));
  EXPECT_FALSE(tell(2));
  io_.run();
  io_.restart();
  EXPECT_TRUE(tell(3));
  io_.run();
  for (const auto& sink : sinks_) EXPECT_EQ(sink.seen, (std::vector<std::uint64_t>{1, 3}));
}

TEST_F(LiveFollowersTest, ItsEndEndsWhatWaits) {
  follow(kMany);
  EXPECT_TRUE(tell(1));
  followers_.reset();
  io_.run();
  EXPECT_EQ(told(), 0U);
}

}  // namespace
}  // namespace toolway::gateway::live
