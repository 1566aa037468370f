#include "cli/stack/operator_reach.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cli/stack/run_files.h"
#include "tests/support/temp_dir.h"

namespace toolway::cli::stack {
namespace {

TEST(OperatorReach, IsTheGatewayThatIsNamedOrThoseOfADevWithItsToken) {
  const test::TempDir dir;
  const auto data = dir.path().string();
  EXPECT_TRUE(operator_gateways({.url = ""}, data).empty());
  std::filesystem::create_directories(dir.path() / "run");
  ASSERT_TRUE(write_operator_token(data));
  ASSERT_TRUE(write_http_urls(data, {"http://127.0.0.1:1", "http://127.0.0.1:2"}));
  const auto own = operator_gateways({.url = ""}, data);
  ASSERT_EQ(own.size(), 2U);
  EXPECT_EQ(own[1].url, "http://127.0.0.1:2");
  EXPECT_EQ(own[1].reach.token_file, operator_token_file(data));
  EXPECT_EQ(first_line_of(http_url_file(data)), "http://127.0.0.1:1");
  // One of its gateways, named: it is known all the same.
  EXPECT_EQ(operator_gateways({.url = "http://127.0.0.1:2"}, data).at(0).reach.token_file,
            operator_token_file(data));
  // Another gateway never gets this one's token.
  const auto other = operator_gateways({.url = "https://tools.example.com"}, data);
  ASSERT_EQ(other.size(), 1U);
  EXPECT_TRUE(other[0].reach.token_file.empty());
  const auto given = operator_gateways({.url = "", .reach = {.token_file = "mine"}}, data);
  EXPECT_EQ(given.at(0).reach.token_file, "mine");
  forget_run_files(data);
  EXPECT_TRUE(operator_gateways({.url = ""}, data).empty());
  EXPECT_FALSE(std::filesystem::exists(operator_token_file(data)));
}

TEST(OperatorReach, OfAGatewayNeedsAToken) {
  EXPECT_FALSE(takes_operators({.url = "http://127.0.0.1:1"}));
  EXPECT_TRUE(takes_operators({.url = "http://127.0.0.1:1", .reach = {.token = "t"}}));
  EXPECT_TRUE(takes_operators({.url = "http://127.0.0.1:1", .reach = {.token_file = "f"}}));
  EXPECT_FALSE(takes_operators({.url = "", .reach = {.token = "t"}}));
}

}  // namespace
}  // namespace toolway::cli::stack
