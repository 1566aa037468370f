// What `toolway dev` says while it runs.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "tests/e2e/dev/dev_stack.h"

namespace toolway::cli {
namespace {

class Commented : public testing::Test {
 protected:
  void write_spec(const std::string& kind) {
    std::ofstream(dir_ / "tools.yaml") << "tools:\n  - {name: say, namespace: shop, kind: " + kind +
                                              ", input_schema: {type: object},\n"
                                              "     implementation_config: {argv: [echo, hi]}}\n";
  }
  test::TempDir dir_;
};

TEST_F(Commented, ShowsReloadsMistakesAndCalls) {
  write_spec("command");
  Dev dev(dir_, {"--specs", dir_ / "tools.yaml"});
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  EXPECT_TRUE(dev.says("making a database in ")) << dev.log();
  EXPECT_TRUE(wait_for([&] { return dev.says("  tools      "); })) << dev.log();
  EXPECT_EQ(call_and_wait(dev.url()).outcome, "succeeded");
  EXPECT_TRUE(wait_for([&] { return dev.says("time.get_current_time succeeded in "); }))
      << dev.log();
  write_spec("comand");
  EXPECT_TRUE(wait_for([&] { return dev.says("tools.yaml:2: "); })) << dev.log();
  std::ofstream(dir_ / "tools.yaml") << "tools: []\n";
  EXPECT_TRUE(wait_for([&] { return dev.says("1 removed: shop.say"); })) << dev.log();
}

TEST_F(Commented, SaysWhatItWaitsForAtCtrlC) {
  Dev dev(dir_, {"--quiet"});
  ASSERT_TRUE(dev.ready().is_object()) << dev.log();
  EXPECT_EQ(call_and_wait(dev.url()).outcome, "succeeded");
  const auto accepted = run_toolway(
      dir_, {"call", "bench.work", "wait_ms=4000", "--session", "long", "--url", dev.url()});
  EXPECT_EQ(accepted.status, 0) << accepted.output;
  EXPECT_TRUE(wait_for([&] {
    const auto running = run_toolway(
        dir_, {"calls", "list", "long", "--state", "running", "-o", "name", "--url", dev.url()});
    return running.status == 0 && !running.output.empty();
  }));
  dev.process->signal(SIGINT);
  EXPECT_EQ(dev.process->wait(std::chrono::seconds(60)), 0);
  EXPECT_TRUE(dev.says("waiting for 1 call (bench.work, ")) << dev.log();
  EXPECT_FALSE(dev.says("time.get_current_time succeeded")) << "it is quiet\n" << dev.log();
}

}  // namespace
}  // namespace toolway::cli
