#include <gtest/gtest.h>

#include "tests/unit/chaos/runs.h"

namespace toolway::chaos {
namespace {

std::uint64_t violations(const SessionEnd& end, Property property) {
  Verdicts verdicts;
  check_session(end, {}, {}, verdicts);
  return verdicts[property].violated;
}

TEST(CheckRecord, FindsNothingWhereAllIsWell) {
  const auto stretch = followed(events_of_one_call());
  Verdicts verdicts;
  check_session(quiet_session(), {&stretch}, {}, verdicts);
  EXPECT_TRUE(verdicts.clean());
  for (const auto property : {Property::kAgreement, Property::kChain, Property::kSteps,
                              Property::kEventOrder, Property::kPrivacy, Property::kMailbox})
    EXPECT_GT(verdicts[property].checked, 0U) << property_text(property);
}

TEST(CheckRecord, FindsAGatewayWithoutTheLastEvent) {
  auto end = quiet_session();
  end.views[1].page.pop_back();
  EXPECT_EQ(violations(end, Property::kAgreement), 1U);
}

TEST(CheckRecord, FindsAReplayWithOtherBytes) {
  auto end = quiet_session();
  end.views[1].replay[2].digest = 99;
  EXPECT_EQ(violations(end, Property::kAgreement), 1U);
}

TEST(CheckRecord, FindsARowThatPostgresLacks) {
  auto end = quiet_session();
  end.events.erase(end.events.begin() + 1);
  EXPECT_EQ(violations(end, Property::kAgreement), 1U);
}

TEST(CheckRecord, FindsAGatewayThatShowsAnotherOutcome) {
  auto end = quiet_session();
  end.views[0].calls["c1"].outcome = "failed";
  EXPECT_GE(violations(end, Property::kAgreement), 1U);
}

TEST(CheckRecord, FindsACallThatAGatewayDoesNotList) {
  auto end = quiet_session();
  end.views[1].calls.clear();
  end.views[1].single.clear();
  EXPECT_EQ(violations(end, Property::kAgreement), 1U);
}

TEST(CheckRecord, FindsASingleCallThatDiffersFromTheList) {
  auto end = quiet_session();
  end.views[1].single["c1"].digest = 8;
  EXPECT_EQ(violations(end, Property::kAgreement), 1U);
}

TEST(CheckRecord, FindsASecondCompletion) {
  auto end = quiet_session();
  for (auto& view : end.views) view.page.push_back(view.page.back());
  EXPECT_EQ(violations(end, Property::kOneCompletion), 1U);
  EXPECT_GE(violations(end, Property::kChain), 1U);
}

TEST(CheckRecord, FindsAnEventAfterTheCompletion) {
  auto end = quiet_session();
  auto late = end.views[0].page[1];
  late.id.number = 100;
  late.seq = 5;
  for (auto& view : end.views) view.page.push_back(late);
  EXPECT_EQ(violations(end, Property::kChain), 1U);
}

TEST(CheckRecord, FindsAGapInSeq) {
  auto end = quiet_session();
  for (auto& view : end.views) view.page.erase(view.page.begin() + 1);
  EXPECT_EQ(violations(end, Property::kChain), 1U);
}

TEST(CheckRecord, TakesAGapOfSeqForAHeartbeatWhenThereWasTimeForOne) {
  auto end = quiet_session();
  for (auto& view : end.views) {
    view.page[3].seq = 5;
    view.page[3].time_us = view.page[2].time_us + 10000000;
  }
  EXPECT_EQ(violations(end, Property::kChain), 0U);
}

TEST(CheckRecord, TakesAHeartbeatRightAfterAReport) {
  for (const std::int64_t at_us : {10'100'000, 5'000'000}) {
    auto end = quiet_session();
    for (auto& view : end.views) {
      view.page[1].time_us = at_us - 200'000;
      view.page[2].time_us = at_us;
      view.page[2].seq = 4;
      view.page[3].time_us = at_us + 100'000;
      view.page[3].seq = 5;
    }
    EXPECT_EQ(violations(end, Property::kChain), at_us > 10'000'000 ? 0U : 1U) << at_us;
  }
}

/// What is written of two heartbeats after a question: one is due at once, the other comes after an
/// answer that was faster.
TEST(CheckRecord, TakesNoMoreHeartbeatsThanThereWasTimeFor) {
  for (const unsigned last : {6U, 7U}) {
    auto end = quiet_session();
    for (auto& view : end.views) {
      view.page[0].time_us -= 7'000'000;
      view.page[1].type = "input_requested";
      view.page[2].type = "input_provided";
      view.page[2].seq = 4;
      view.page[2].time_us = view.page[1].time_us + 12'900'000;
      view.page[3].seq = last;
      view.page[3].time_us = view.page[1].time_us + 13'800'000;
    }
    EXPECT_EQ(violations(end, Property::kChain), last == 6 ? 0U : 1U) << last;
  }
}

TEST(CheckRecord, FindsAnAttemptThatFalls) {
  auto end = quiet_session();
  for (auto& view : end.views) view.page[1].attempt = 2;
  EXPECT_EQ(violations(end, Property::kChain), 1U);
}

TEST(CheckRecord, FindsAStepThatIsMissing) {
  auto end = quiet_session();
  for (auto& view : end.views) view.page[1].steps = {};
  EXPECT_EQ(violations(end, Property::kSteps), 1U);
}

TEST(CheckRecord, FindsASuccessWithoutItsLastStep) {
  auto end = quiet_session();
  for (auto& view : end.views) view.page[2].steps = {};
  EXPECT_EQ(violations(end, Property::kSteps), 1U);
}

TEST(CheckRecord, CountsStepsFromTheBeginningOfEachAttempt) {
  auto end = quiet_session();
  for (auto& view : end.views) {
    view.page[2].attempt = view.page[3].attempt = 2;
    view.page[2].steps = {1, 2};
  }
  EXPECT_EQ(violations(end, Property::kSteps), 0U);
}

TEST(CheckRecord, FindsAnotherUsersToken) {
  auto end = quiet_session();
  for (auto& view : end.views) view.page[1].owners = "u1 u2";
  EXPECT_EQ(violations(end, Property::kPrivacy), 1U);
}

/// Attempt 1 by w1 at 1 ms, attempt 2 by w2 at 31 ms.
std::vector<EventSeen> taken_over() {
  std::vector<EventSeen> record(2);
  record[0] = {.id = {1, 2},
               .type = "started",
               .call_id = "c1",
               .attempt = 1,
               .seq = 1,
               .time_us = 1000,
               .worker = "w1"};
  record[1] = {.id = {1, 4},
               .type = "started",
               .call_id = "c1",
               .attempt = 2,
               .seq = 2,
               .time_us = 31000,
               .worker = "w2"};
  return record;
}

std::vector<std::int64_t> recovery(const std::vector<EventSeen>& record,
                                   const std::vector<std::int64_t>& kills_us) {
  LastSeen seen;
  see_workers(record, seen);
  return recovery_times(broken_attempts(record), seen, kills_us);
}

/// A call of the tool that requires approval: asked, decided, started.
std::vector<EventSeen> guarded(bool approved) {
  return {
      {.id = {1, 2}, .type = "approval_requested", .call_id = "c1", .tool = "guarded", .seq = 1},
      {.id = {1, 4},
       .type = "approval_decided",
       .call_id = "c1",
       .tool = "guarded",
       .approved = approved,
       .seq = 2},
      {.id = {1, 6},
       .type = "started",
       .call_id = "c1",
       .tool = "guarded",
       .attempt = 1,
       .seq = 3}};
}

std::uint64_t unapproved(std::vector<EventSeen> events) {
  SessionEnd end{.user = "u1", .session = "s"};
  end.views.emplace_back();
  end.views.back().page = std::move(events);
  Verdicts verdicts;
  check_chains(end, verdicts);
  return verdicts[Property::kApproval].violated;
}

TEST(CheckApproval, FindsWhatStartedUnapproved) {
  EXPECT_EQ(unapproved(guarded(true)), 0U);
  EXPECT_EQ(unapproved(guarded(false)), 1U);
  auto early = guarded(true);
  std::swap(early[1], early[2]);
  EXPECT_EQ(unapproved(early), 1U);
  EXPECT_EQ(unapproved({early[1]}), 1U) << "never asked";
}

TEST(CheckApproval, FindsASecondDecision) {
  auto twice = guarded(true);
  twice.push_back(twice[1]);
  EXPECT_EQ(unapproved(twice), 1U);
}

TEST(RecoveryTimes, CountFromTheKillToTheNextAttempt) {
  EXPECT_EQ(recovery(taken_over(), {500, 2000, 9000}), std::vector<std::int64_t>{29000});
  EXPECT_TRUE(recovery(taken_over(), {500}).empty()) << "no worker was killed in between";
}

TEST(RecoveryTimes, LeaveOutAnAttemptThatEnded) {
  auto record = taken_over();
  record[0].type = "retry_at";
  EXPECT_TRUE(recovery(record, {2000}).empty());
}

TEST(RecoveryTimes, LeaveOutAWorkerThatWasOnlyPaused) {
  auto record = taken_over();
  record.push_back({.id = {1, 6},
                    .type = "started",
                    .call_id = "c2",
                    .attempt = 1,
                    .seq = 1,
                    .time_us = 40000,
                    .worker = "w1"});
  EXPECT_TRUE(recovery(record, {2000, 50000}).empty());
}

TEST(EventSeen, ReadsTheStepsOfMergedReports) {
  const auto json = parse_ordered_json(
      R"({"id":"17-84","type":"progress","call_id":"c","attempt":1,"seq":2,"time":"2026-01-31T12:00:00.000001Z",)"
      R"("data":[{"step":1,"token":"tok.u1.5."},{"step":2,"token":"tok.u1.5."}]})");
  ASSERT_TRUE(json);
  const auto seen = read_event(*json);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->id, (EventId{17, 84}));
  EXPECT_EQ(seen->steps, (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(seen->owners, "u1");
  EXPECT_EQ(seen->time_us % 1000000, 1);
}

}  // namespace
}  // namespace toolway::chaos
