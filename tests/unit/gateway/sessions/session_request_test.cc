#include "gateway/sessions/session_request.h"

#include <gtest/gtest.h>

namespace toolway::gateway::sessions {
namespace {

/// What a client is told that asks for `wanted` of a session that has `has`; empty: it gets it.
std::string reopened(const std::vector<std::string>& has, const std::vector<std::string>& wanted) {
  v1::SessionRecord record;
  for (const auto& ns : has) record.add_namespaces(ns);
  const auto checked = check_reopen(record, wanted);
  return checked ? "" : checked.error().error.message;
}

TEST(SessionReopened, IsAskedForWithWhatItHas) {
  EXPECT_EQ(reopened({"a", "b"}, {"a", "b"}), "");
  EXPECT_EQ(reopened({"a", "b"}, {"a", "c"}),
            "the session exists with namespaces a, b: ask for these, add others to it with POST "
            "/v1/sessions/{s}/namespaces, or open another session_id");
  EXPECT_NE(reopened({"a"}, {"*"}).find("add others"), std::string::npos);
}

TEST(SessionReopened, GainsNothingThatItHas) {
  EXPECT_EQ(reopened({"*"}, {"a", "b"}),
            "the session exists with namespaces *, which include those you name: ask for these, or "
            "open another session_id");
  EXPECT_EQ(reopened({"a", "b"}, {"a"}).find("add others"), std::string::npos);
}

}  // namespace
}  // namespace toolway::gateway::sessions
