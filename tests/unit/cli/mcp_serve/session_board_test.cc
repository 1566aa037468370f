#include "cli/mcp_serve/session_board.h"

#include <gtest/gtest.h>

namespace toolway::cli::mcp_serve {
namespace {

TEST(SessionBoard, AHandshakeEndsWhatWasOfTheOneBefore) {
  SessionBoard board;
  const auto none = board.now();
  EXPECT_TRUE(none.session.empty());
  EXPECT_FALSE(none.replaced.stop_requested());
  board.agree("{}", {.session = "s1", .revision = "2025-11-25", .lists = {"tools"}});
  EXPECT_TRUE(none.replaced.stop_requested());
  const auto first = board.now();
  EXPECT_EQ(first.session, "s1");
  EXPECT_EQ(first.lists, std::vector<std::string>{"tools"});
  EXPECT_EQ(first.number, 1U);
  EXPECT_FALSE(first.replaced.stop_requested());
}

TEST(SessionBoard, IsRenewedOnceForAllThatFoundItsSessionGone) {
  SessionBoard board;
  board.agree("hello", {.session = "s1"});
  int times = 0;
  const auto handshake = [&times](const Agreed& before) -> Result<Agreed> {
    EXPECT_EQ(before.initialize, "hello");
    return Agreed{.session = "s" + std::to_string(++times + 1)};
  };
  EXPECT_TRUE(board.renew(1, handshake));
  EXPECT_TRUE(board.renew(1, handshake));
  EXPECT_EQ(times, 1);
  EXPECT_EQ(board.now().session, "s2");
  EXPECT_EQ(board.now().initialize, "hello");
  EXPECT_FALSE(board.renew(
      2, [](const Agreed&) -> Result<Agreed> { return fail(ErrorCode::kBusUnavailable, "no"); }));
  EXPECT_EQ(board.now().session, "s2");
}

}  // namespace
}  // namespace toolway::cli::mcp_serve
