#include "persistence/reaper/incomplete_sessions.h"

#include <gtest/gtest.h>

#include "persistence/reaper/watched_calls.h"

namespace toolway::persistence::reaper {
namespace {

TEST(IncompleteSessions, FallIntoTheirRangesEndsIncluded) {
  const auto sessions = incomplete_sessions({{"a", 1},
                                             {"b", 2},
                                             {"c", 5},
                                             {"d", 6},
                                             {"e", 20},
                                             {"f", 21},
                                             {"g", 100},
                                             {"h", 101},
                                             {"i", 1000},
                                             {"j", 1001},
                                             {"k", 9999}});
  EXPECT_EQ(sessions, (IncompleteSessions{1, 2, 2, 2, 2, 2}));
  EXPECT_EQ(incomplete_sessions({}), IncompleteSessions{});
}

TEST(IncompleteSessions, AreCountedFromTheCallsThatAreWatched) {
  WatchedCalls calls;
  const auto watch = [&](const std::string& id, const std::string& session, bool begun) {
    calls.put(id, {.session_key = session, .begun = begun}, {});
  };
  watch("1", "a", true);
  watch("2", "a", false);
  watch("3", "b", true);
  EXPECT_EQ(calls.by_session(),
            (std::unordered_map<std::string_view, std::size_t>{{"a", 2}, {"b", 1}}));
  const auto begun = calls.where([](const WatchedCall& call) { return call.begun; });
  EXPECT_EQ(begun, (std::vector<std::string>{"1", "3"}));
  for (const auto& id : begun) calls.forget(id);
  EXPECT_EQ(calls.by_session(), (std::unordered_map<std::string_view, std::size_t>{{"a", 1}}));
}

}  // namespace
}  // namespace toolway::persistence::reaper
