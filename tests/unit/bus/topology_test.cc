#include "bus/topology.h"

#include <gtest/gtest.h>

#include <set>

namespace toolway::bus {
namespace {

TEST(StreamOf, SaysWhichStreamOfTheLayoutStoresASubject) {
  for (const auto& stream : topology({.pools = {{"native", 1}}})) {
    ASSERT_TRUE(stream.subjects.ends_with('>')) << stream.subjects;
    const auto subject = stream.subjects.substr(0, stream.subjects.size() - 1) + "x";
    EXPECT_EQ(stream_of(subject), stream.name) << subject;
  }
}

TEST(StreamOf, IsEmptyForWhatNoStreamStores) {
  for (const char* subject :
       {"", "call", "calls.x", "$KV.", "$KV.session.x", "$KV.sessions2.x", "worker.native.w"}) {
    EXPECT_EQ(stream_of(subject), "") << subject;
  }
}

TEST(Topology, EveryStreamHasABoundAndWhatGoesByItselfAnAge) {
  for (const auto& stream : topology({.pools = {{"native", 1}}})) {
    EXPECT_GT(stream.max_bytes, 0) << stream.name;
    // What is switched off stays so until an operator switches it on.
    const bool kept = stream.name == "KV_switches" || stream.name == "KV_policies" ||
                      stream.name == "KV_api_keys" || stream.name == "KV_seals";
    EXPECT_EQ(!kept, stream.max_age.count() > 0) << stream.name;
  }
}

/// Nothing else removes the names of closed sessions, each of which is a session opened once.
TEST(Topology, TheSessionsBucketHoldsTheNamesOfAllThatAreOpenedInTheLongRun) {
  constexpr std::int64_t kName = 140;  // bytes
  for (const auto& stream : topology({.pools = {{"native", 1}}})) {
    if (stream.name != "KV_sessions") continue;
    const auto for_new = stream.max_bytes / 10 * 9;  // gateways leave the rest to existing ones
    EXPECT_GE(for_new / kName / stream.max_age.count(), 5) << "new sessions a second";
    return;
  }
  FAIL() << "there is no such bucket";
}

/// Workers may write to the clocks; the oldest limits are those that were not used for long.
TEST(Topology, OnlyFullBucketsWithoutFollowersDropWhatIsOldest) {
  const std::set<std::string> dropping{"KV_clocks", "KV_limits", "KV_mcp", "KV_mcp_requests"};
  for (const auto& stream : topology({.pools = {{"native", 1}}})) {
    EXPECT_EQ(dropping.contains(stream.name), stream.drops_oldest) << stream.name;
    if (stream.drops_oldest) {
      EXPECT_TRUE(stream.republish_to.empty()) << stream.name;
    }
  }
}

}  // namespace
}  // namespace toolway::bus
