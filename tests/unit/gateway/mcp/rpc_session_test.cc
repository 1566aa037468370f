#include "gateway/mcp/rpc_session.h"

#include <gtest/gtest.h>

namespace toolway::gateway::mcp {
namespace {

using toolway::mcp::Revision;

const WallTime kNow{std::chrono::days(20'000)};

wire::Caller caller(const std::string& tenant, const std::string& user) {
  wire::Caller made;
  made.tenant_id = tenant;
  made.user_id = user;
  return made;
}

class RpcSessionTest : public testing::Test {
 protected:
  const SealKeys keys_ = *SealKeys::parse(SealKeys::new_line("k"));
  const wire::Caller ann_ = caller("acme", "ann");
  const std::string sealed_ =
      seal_session(keys_, ann_, {.session_id = "chat", .revision = Revision::k2025_06_18}, kNow);
};

TEST_F(RpcSessionTest, HasWhatWasAgreedOn) {
  const auto opened = open_session_id(keys_, ann_, sealed_, kNow + std::chrono::hours(1));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->session_id, "chat");
  EXPECT_EQ(opened->revision, Revision::k2025_06_18);
}

TEST_F(RpcSessionTest, IsForItsUserAlone) {
  EXPECT_FALSE(open_session_id(keys_, caller("acme", "bob"), sealed_, kNow));
  EXPECT_FALSE(open_session_id(keys_, caller("other", "ann"), sealed_, kNow));
  EXPECT_FALSE(open_session_id(*SealKeys::parse(SealKeys::new_line("k")), ann_, sealed_, kNow))
      << "another fleet's";
}

TEST_F(RpcSessionTest, EndsAfterAWeek) {
  EXPECT_TRUE(open_session_id(keys_, ann_, sealed_, kNow + std::chrono::hours(24 * 7 - 1)));
  EXPECT_FALSE(open_session_id(keys_, ann_, sealed_, kNow + std::chrono::hours(24 * 7 + 1)));
}

TEST_F(RpcSessionTest, NoByteOfItCanBeChanged) {
  for (std::size_t i = 0; i < sealed_.size(); ++i) {
    auto edited = sealed_;
    edited[i] = edited[i] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(open_session_id(keys_, ann_, edited, kNow)) << i;
    EXPECT_FALSE(open_session_id(keys_, ann_, sealed_.substr(0, i), kNow)) << i;
  }
}

}  // namespace
}  // namespace toolway::gateway::mcp
