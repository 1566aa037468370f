#include "gateway/mcp/opened_sessions.h"

#include <gtest/gtest.h>

#include "tests/support/test_clock.h"

namespace toolway::gateway::mcp {
namespace {

wire::Caller caller(const std::string& user) {
  wire::Caller made;
  made.tenant_id = "acme";
  made.user_id = user;
  return made;
}

class OpenedSessionsTest : public testing::Test {
 protected:
  std::string seal(const std::string& session) {
    return seal_session(keys_, ann_, {.session_id = session}, clock_.wall());
  }
  const SealKeys keys_ = *SealKeys::parse(SealKeys::new_line("k"));
  const SealKeys others_ = *SealKeys::parse(SealKeys::new_line("k"));
  const wire::Caller ann_ = caller("ann");
  test::StoppedClock clock_;
  OpenedSessions opened_;
};

TEST_F(OpenedSessionsTest, OneIsForItsUserAloneAlsoWhileItIsKept) {
  const auto sealed = seal("chat");
  ASSERT_TRUE(opened_.open(keys_, ann_, sealed, clock_));
  EXPECT_FALSE(opened_.open(keys_, caller("bob"), sealed, clock_));
  const auto again = opened_.open(keys_, ann_, sealed, clock_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->session_id, "chat");
}

TEST_F(OpenedSessionsTest, KeysThatAreTakenBackCountAfterAWhile) {
  const auto sealed = seal("chat");
  ASSERT_TRUE(opened_.open(keys_, ann_, sealed, clock_));
  EXPECT_TRUE(opened_.open(others_, ann_, sealed, clock_)) << "it is kept";
  clock_.advance(OpenedSessions::kOpenedFor);
  EXPECT_FALSE(opened_.open(others_, ann_, sealed, clock_));
}

TEST_F(OpenedSessionsTest, ManyTakeNoMoreThanTheirRoomAndWrongOnesNone) {
  for (std::size_t i = 0; i < OpenedSessions::kMaxSessions + 5; ++i)
    ASSERT_TRUE(opened_.open(keys_, ann_, seal(std::to_string(i)), clock_));
  EXPECT_LE(opened_.size(), OpenedSessions::kMaxSessions);
  const auto before = opened_.size();
  EXPECT_FALSE(opened_.open(keys_, ann_, "made up", clock_));
  EXPECT_EQ(opened_.size(), before);
}

}  // namespace
}  // namespace toolway::gateway::mcp
