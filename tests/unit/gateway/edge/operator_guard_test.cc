#include "gateway/edge/operator_guard.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace toolway::gateway::edge {
namespace {

class OperatorGuards : public testing::Test {
 protected:
  void write(const std::string& text, mode_t mode = 0600) {
    // Another inode, as an editor or a secret's mount leaves it.
    unlink(file_.c_str());
    std::ofstream(file_) << text;
    ASSERT_EQ(chmod(file_.c_str(), mode), 0);
  }
  OperatorGuard guard() {
    auto made = OperatorGuard::create(file_);
    EXPECT_TRUE(made) << made.error().message;
    return *std::move(made);
  }
  static unsigned status(OperatorGuard& guard, std::optional<std::string_view> authorization) {
    const auto admitted = guard.admit("specs:write", authorization);
    return admitted ? 200 : wire::status_of(admitted.error());
  }

  const test::TempDir dir_;
  const std::string file_ = (dir_.path() / "token").string();
};

TEST_F(OperatorGuards, WithoutAFileRefuseAndNameTheOption) {
  auto guard = *OperatorGuard::create("");
  const auto refused = guard.admit("specs:write", "Bearer anything");
  ASSERT_FALSE(refused);
  EXPECT_EQ(wire::status_of(refused.error()), 403U);
  EXPECT_NE(refused.error().error.message.find("--operator-token-file FILE"), std::string::npos);
}

TEST_F(OperatorGuards, AdmitTheTokenAlone) {
  write("s3cret-token\n");
  auto guard = this->guard();
  EXPECT_EQ(status(guard, "Bearer s3cret-token"), 200U);
  EXPECT_EQ(status(guard, "bearer  s3cret-token"), 200U) << "a scheme has any case";
  for (const auto* wrong :
       {"Bearer s3cret-toke", "Bearer s3cret-token1", "Bearer s3cret-tokeN", "Bearer s3cret token",
        "Bearer", "Bearer ", "Basic s3cret-token", "s3cret-token", ""})
    EXPECT_EQ(status(guard, wrong), 401U) << wrong;
}

TEST_F(OperatorGuards, ChallengeAsRfc6750Says) {
  write("s3cret-token");
  auto guard = this->guard();
  const auto none = guard.admit("specs:write", std::nullopt).error();
  EXPECT_EQ(none.challenge, "Bearer realm=\"toolway\"") << "nothing was wrong, so nothing is said";
  EXPECT_NE(none.error.message.find("specs:write"), std::string::npos);
  const auto wrong = guard.admit("specs:write", "Bearer no").error();
  EXPECT_EQ(wrong.challenge, "Bearer realm=\"toolway\", error=\"invalid_token\"");
  EXPECT_NE(wire::problem_json(wrong, "r").find("\"code\":\"unauthenticated\""), std::string::npos);
}

TEST_F(OperatorGuards, TakeANewTokenAtOnce) {
  write("first");
  auto guard = this->guard();
  write("second");
  EXPECT_EQ(status(guard, "Bearer first"), 401U);
  EXPECT_EQ(status(guard, "Bearer second"), 200U);
  // Without a token that can be used, no request is admitted, not by the last one either.
  write("second", 0644);
  EXPECT_EQ(status(guard, "Bearer second"), 403U);
  write("third");
  EXPECT_EQ(status(guard, "Bearer third"), 200U);
  unlink(file_.c_str());
  EXPECT_EQ(status(guard, "Bearer third"), 403U);
}

TEST_F(OperatorGuards, AreNotMadeOfAFileThatOthersCanUse) {
  for (const mode_t mode : {0640U, 0604U, 0620U, 0666U}) {
    write("token", mode);
    const auto refused = OperatorGuard::create(file_);
    ASSERT_FALSE(refused) << mode;
    EXPECT_NE(refused.error().message.find("chmod 600"), std::string::npos);
    EXPECT_NE(refused.error().message.find("--operator-token-file"), std::string::npos);
  }
  for (const auto* wrong : {"", " \n", "two tokens", "two\nlines"}) {
    write(wrong);
    EXPECT_FALSE(OperatorGuard::create(file_)) << wrong;
  }
  EXPECT_FALSE(OperatorGuard::create((dir_.path() / "none").string()));
}

}  // namespace
}  // namespace toolway::gateway::edge
