#include "cli/mcp_check/first_words.h"

#include <gtest/gtest.h>

namespace toolway::cli::mcp_check {
namespace {

using tools::executors::mcp_client::ServerConfig;

class FirstWordsTest : public testing::Test {
 protected:
  static ServerConfig named(const std::string& name) {
    ServerConfig config;
    config.name = name;
    return config;
  }
  /// Of what has been said already.
  std::optional<std::size_t> next() { return words_.next(std::chrono::milliseconds(0)); }

  std::vector<ServerConfig> configs_{named("a"), named("b"), named("c")};
  FirstWords words_{configs_};
};

TEST_F(FirstWordsTest, ComeInTheOrderInWhichServersSpeak) {
  words_.listed(2, configs_[2], {.revision = mcp::Revision::k2025_06_18});
  words_.trouble(0, {"exited with status 7", {"Error: DB_URL is not set"}});
  EXPECT_EQ(next(), 2U);
  EXPECT_EQ(next(), 0U);
  EXPECT_EQ(next(), std::nullopt) << "b is silent";
  EXPECT_TRUE(words_.of(2).revision);
  EXPECT_EQ(words_.of(0).trouble, "exited with status 7");
  EXPECT_EQ(words_.of(0).lines, std::vector<std::string>{"Error: DB_URL is not set"});
  EXPECT_EQ(words_.of(1).name, "b");
  EXPECT_TRUE(words_.of(1).trouble.empty());
}

TEST_F(FirstWordsTest, TheSecondOneOfAServerIsNotHeard) {
  words_.trouble(0, {"exited with status 7"});
  words_.trouble(0, {"exited with status 8"});
  words_.listed(0, configs_[0], {.revision = mcp::Revision::k2025_06_18});
  EXPECT_EQ(next(), 0U);
  EXPECT_EQ(next(), std::nullopt);
  EXPECT_FALSE(words_.of(0).revision);
  EXPECT_EQ(words_.of(0).trouble, "exited with status 7");
}

}  // namespace
}  // namespace toolway::cli::mcp_check
