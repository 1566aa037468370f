#include "cli/bench/measures/original_suite.h"

#include <gtest/gtest.h>

namespace toolway::cli::bench::measures {
namespace {

SuiteMeasured good() {
  return {.p50_ms = 2,
          .p99_ms = 8,
          .sessions = 200,
          .sessions_p99_ms = 9,
          .session_mb = 0.05,
          .overhead_kb = 2,
          .close_p99_ms = 1,
          .restore_p99_ms = 5,
          .calls_per_s = 5000,
          .errors = 0};
}

std::vector<bool> verdicts(const SuiteMeasured& measured) {
  std::vector<bool> all;
  for (const auto& figure : suite_figures(measured)) all.push_back(figure.holds);
  return all;
}

TEST(OriginalSuite, JudgesEachBenchmarkByItsTarget) {
  EXPECT_EQ(verdicts(good()), std::vector<bool>(6, true));
  const std::pair<double SuiteMeasured::*, double> over[] = {
      {&SuiteMeasured::p50_ms, 50.1},          {&SuiteMeasured::sessions_p99_ms, 100.1},
      {&SuiteMeasured::overhead_kb, 100.1},    {&SuiteMeasured::close_p99_ms, 10.1},
      {&SuiteMeasured::restore_p99_ms, 100.1}, {&SuiteMeasured::calls_per_s, 999}};
  for (std::size_t i = 0; i < std::size(over); ++i) {
    auto measured = good();
    measured.*over[i].first = over[i].second;
    auto wanted = std::vector<bool>(6, true);
    wanted[i] = false;
    EXPECT_EQ(verdicts(measured), wanted) << i;
  }
}

TEST(OriginalSuite, LostCallsReachNoTarget) {
  auto measured = good();
  measured.errors = 1;
  EXPECT_EQ(verdicts(measured), (std::vector<bool>{false, false, true, true, true, false}));
}

}  // namespace
}  // namespace toolway::cli::bench::measures
