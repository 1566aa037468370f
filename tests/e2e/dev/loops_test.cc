// A gateway on several event loops.
#include <gtest/gtest.h>

#include <set>

#include "monitoring/metric_names.h"
#include "tests/e2e/dev/dev_stack.h"
#include "tests/e2e/dev/exposition.h"

namespace toolway::cli {
namespace {

TEST(GatewayOnSeveralLoops, ServesCallsOverAnyConnectionAndShowsEachLoop) {
  const test::TempDir dir;
  const Dev dev(dir, {"--gateway-loops", "3"});
  ASSERT_FALSE(dev.url().empty()) << dev.log();
  // Each on connections of its own, in one session.
  for (int i = 0; i < 12; ++i) {
    const auto seen = call_and_wait(dev.url());
    EXPECT_EQ(seen.outcome, "succeeded");
    EXPECT_EQ(shown_call(dev.url(), seen.call_id).value("call_id", ""), seen.call_id);
  }
  auto client = client::HttpClient::create({.url = dev.url()});
  ASSERT_TRUE(client);
  std::set<std::string> loops;
  EXPECT_TRUE(wait_for([&] {
    const auto scraped = (*client)->request("GET", "/metrics");
    if (!scraped) return false;
    for (const auto& series : read_exposition(scraped->body))
      if (series.name == monitoring::kLoopDelay) loops.insert(series.labels.at("loop"));
    return loops == std::set<std::string>{"0", "1", "2"};
  }));
}

TEST(GatewayOnSeveralLoops, NeedsMemoryForEach) {
  const test::TempDir dir;
  const auto ran = run_toolway(dir, {"gateway", "--loops", "9", "--memory-budget", "512"},
                               {{"TOOLWAY_POSTGRES_URL", "postgresql://127.0.0.1:1/none"}});
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_NE(ran.output.find("--loops 9 needs --memory-budget 576"), std::string::npos)
      << ran.output;
  EXPECT_NE(run_toolway(dir, {"gateway", "--loops", "0"}).status, 0);
}

}  // namespace
}  // namespace toolway::cli
