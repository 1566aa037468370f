#include "gateway/loop/delay_watch.h"

#include <gtest/gtest.h>

#include <thread>

#include "monitoring/metric_names.h"
#include "monitoring/metric_registry.h"

namespace toolway::gateway::loop {
namespace {

using std::chrono::milliseconds;

TEST(DelayWatch, LooksLessOftenAtALoopThatDoesLittle) {
  const auto often = next_look(1000, milliseconds(20));
  const auto seldom = next_look(1, milliseconds(20));
  EXPECT_LT(often, seldom);
  EXPECT_EQ(next_look(1, seldom), seldom) << "its own turn does not count for much";
  EXPECT_EQ(next_look(1000, seldom), often);
}

TEST(DelayWatch, TellsTheLongestDelay) {
  const auto metrics = monitoring::make_metrics("test");
  const SystemClock clock;
  auto& gauge = metrics->gauge(monitoring::kLoopDelay, "loop", "0");
  asio::io_context io;
  DelayWatch watch(io, gauge, clock);
  asio::co_spawn(io, watch.run(), asio::detached);
  const auto until = clock.monotonic() + milliseconds(300);
  // Something keeps the loop, so that the first timer is late.
  asio::post(io, [] { std::this_thread::sleep_for(milliseconds(80)); });
  while (clock.monotonic() < until) {
    io.run_one_for(milliseconds(10));
    watch.turned();
  }
  watch.end();
  io.run();
  EXPECT_GE(gauge.value(), 0.05);
}

}  // namespace
}  // namespace toolway::gateway::loop
