#include "cli/replay/report.h"

#include <gtest/gtest.h>

namespace toolway::cli::replay {
namespace {

Report report_of(std::vector<std::string> differences) {
  Report report{.session = "s", .against = "mocks", .replayed = {}, .skipped = {}, .judged = {}};
  report.replayed.session = "replay-1";
  report.replayed.pairs = {{"a.b",
                            {.call_id = "c1", .outcome = "succeeded"},
                            {.call_id = "c2", .outcome = "failed", .error_code = "timeout"},
                            std::move(differences)}};
  report.skipped = {{"c3", "a.c", "it was cancelled"}};
  report.judged = judge(report.replayed.pairs, nullptr, {});
  return report;
}

TEST(ReplayReport, HasBothEndingsAndWhatDiffers) {
  const auto json = to_json(report_of({"outcome: failed, recorded succeeded"}));
  EXPECT_EQ(json["replay_session_id"], "replay-1");
  EXPECT_EQ(json["holds"], false);
  ASSERT_EQ(json["calls"].size(), 1U);
  EXPECT_EQ(json["calls"][0]["recorded"]["call_id"], "c1");
  EXPECT_TRUE(json["calls"][0]["recorded"]["error_code"].is_null());
  EXPECT_EQ(json["calls"][0]["replayed"]["error_code"], "timeout");
  EXPECT_EQ(json["calls"][0]["differences"][0], "outcome: failed, recorded succeeded");
  EXPECT_EQ(json["skipped"][0]["why"], "it was cancelled");
}

TEST(ReplayReport, HoldsWhenEveryJudgementDoes) {
  auto report = report_of({});
  EXPECT_FALSE(report.holds()) << "fewer calls succeeded";
  for (auto& one : report.judged) one.holds = true;
  EXPECT_TRUE(report.holds());
}

}  // namespace
}  // namespace toolway::cli::replay
