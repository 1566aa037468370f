#include "gateway/calls/accepted_here.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>

namespace toolway::gateway::calls {
namespace {

TEST(AcceptedHere, RemembersTheNewestOnly) {
  std::vector<CallId> ids;
  for (int i = 0; i <= 6; ++i) ids.push_back(CallId::make({}));
  AcceptedHere accepted(3);
  for (std::uint64_t i = 1; i <= 5; ++i) accepted.note(ids[i], i);
  accepted.note(ids[4], 9);  // published again
  EXPECT_EQ(3U, accepted.size());
  EXPECT_FALSE(accepted.find(ids[2]));
  EXPECT_EQ(9U, accepted.find(ids[4]));
  accepted.note(ids[6], 10);
  EXPECT_FALSE(accepted.find(ids[3]));
}

/// What it must be like: a map, and the order in which calls came.
struct Plain {
  std::map<std::string, std::uint64_t> sequences;
  std::deque<std::string> by_age;
  void note(const CallId& call, std::uint64_t sequence, std::size_t most) {
    const bool added = sequences.insert_or_assign(call.text(), sequence).second;
    if (!added) return;
    by_age.push_back(call.text());
    if (by_age.size() <= most) return;
    sequences.erase(by_age.front());
    by_age.pop_front();
  }
};

TEST(AcceptedHere, IsLikeAMapWhateverTheOrder) {
  std::mt19937 random(7);
  std::vector<CallId> ids;
  for (int i = 0; i < 60; ++i) ids.push_back(CallId::make({}));
  for (const std::size_t most : {1, 2, 7, 32, 33}) {
    AcceptedHere accepted(most);
    Plain plain;
    for (std::uint64_t sequence = 1; sequence <= 3000; ++sequence) {
      const CallId& call = ids[random() % ids.size()];
      accepted.note(call, sequence);
      plain.note(call, sequence, most);
      const CallId& asked = ids[random() % ids.size()];
      const auto known = plain.sequences.find(asked.text());
      const auto found = accepted.find(asked);
      ASSERT_EQ(found.has_value(), known != plain.sequences.end()) << most << " at " << sequence;
      if (found) {
        ASSERT_EQ(*found, known->second);
      }
      ASSERT_EQ(accepted.size(), plain.sequences.size());
    }
  }
}

}  // namespace
}  // namespace toolway::gateway::calls
