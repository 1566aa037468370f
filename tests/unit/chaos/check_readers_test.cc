#include <gtest/gtest.h>

#include "tests/unit/chaos/runs.h"

namespace toolway::chaos {
namespace {

Verdicts judged(const Stretch& stretch) {
  Verdicts verdicts;
  check_stretches(quiet_session(), {&stretch}, verdicts);
  return verdicts;
}

TEST(CheckStretches, AllowsOneThatEndsEarly) {
  auto events = events_of_one_call();
  events.pop_back();
  EXPECT_TRUE(judged(followed(events)).clean());
}

TEST(CheckStretches, AllowsAnExactSuffix) {
  auto events = events_of_one_call();
  events.erase(events.begin(), events.begin() + 2);
  EXPECT_TRUE(judged(followed(events, "1-12")).clean());
}

TEST(CheckStretches, FindsAMissingEvent) {
  auto events = events_of_one_call();
  events.erase(events.begin() + 1);
  EXPECT_EQ(judged(followed(events))[Property::kEventOrder].violated, 1U);
}

TEST(CheckStretches, FindsARepeatedEvent) {
  auto events = events_of_one_call();
  events.insert(events.begin() + 1, events[0]);
  EXPECT_EQ(judged(followed(events))[Property::kEventOrder].violated, 1U);
}

TEST(CheckStretches, FindsEventsOutOfOrder) {
  auto events = events_of_one_call();
  std::swap(events[1], events[2]);
  EXPECT_EQ(judged(followed(events))[Property::kEventOrder].violated, 1U);
}

TEST(CheckStretches, FindsAnEventThatIsNotInTheRecord) {
  auto events = events_of_one_call();
  events.push_back(events.back());
  events.back().id.number = 50;
  EXPECT_EQ(judged(followed(events))[Property::kEventOrder].violated, 1U);
}

TEST(CheckStretches, FindsAResumeThatSkips) {
  auto events = events_of_one_call();
  events.erase(events.begin(), events.begin() + 2);
  EXPECT_EQ(judged(followed(events, "1-10"))[Property::kExactResume].violated, 1U);
}

TEST(CheckStretches, FindsAResumeThatRepeatsTheEventNamed) {
  auto events = events_of_one_call();
  EXPECT_EQ(judged(followed(events, "1-10"))[Property::kEventOrder].violated, 1U);
}

TEST(CheckStretches, FindsOtherBytesUnderTheSameId) {
  auto events = events_of_one_call();
  events[1].digest = 99;
  EXPECT_EQ(judged(followed(events))[Property::kAgreement].violated, 1U);
}

TEST(CheckStretches, FindsAnotherUsersToken) {
  auto events = events_of_one_call();
  events[1].owners = "u2";
  EXPECT_EQ(judged(followed(events))[Property::kPrivacy].violated, 1U);
}

/// A mailbox of three completions, and what was read of it.
Verdicts judged(const std::vector<MailPage>& pages,
                const std::vector<std::string>& second_gateway = {"a", "b", "c"}) {
  auto end = quiet_session();
  end.calls.clear();
  for (const char* call : {"a", "b", "c"}) end.calls.push_back(recorded(call, "tok.u1.1."));
  end.views[0].mailbox = {"a", "b", "c"};
  end.views[1].mailbox = second_gateway;
  std::vector<const MailPage*> all;
  for (const auto& page : pages) all.push_back(&page);
  Verdicts verdicts;
  check_mailbox(end, all, verdicts);
  return verdicts;
}

MailPage page(std::vector<std::string> calls, bool acked) {
  return {.user = "u1", .session = "s1", .calls = std::move(calls), .acked = acked};
}

TEST(CheckMailbox, AllowsThatAPageComesAgainUntilItIsAcknowledged) {
  EXPECT_TRUE(
      judged({page({"a"}, false), page({"a", "b"}, true), page({"c"}, true), page({}, false)})
          .clean());
}

TEST(CheckMailbox, FindsACompletionThatComesAgain) {
  EXPECT_EQ(judged({page({"a", "b"}, true), page({"b", "c"}, true)})[Property::kMailbox].violated,
            1U);
}

TEST(CheckMailbox, FindsACompletionThatWasSkipped) {
  EXPECT_EQ(judged({page({"a"}, true), page({"c"}, true)})[Property::kMailbox].violated, 1U);
}

TEST(CheckMailbox, FindsGatewaysWithDifferentMailboxes) {
  EXPECT_EQ(judged({}, {"a", "c", "b"})[Property::kMailbox].violated, 1U);
}

TEST(CheckMailbox, FindsACompletionThatIsNotInIt) {
  auto end = quiet_session();
  for (auto& view : end.views) view.mailbox.clear();
  Verdicts verdicts;
  check_mailbox(end, {}, verdicts);
  EXPECT_EQ(verdicts[Property::kMailbox].violated, 1U);
}

TEST(CheckMailbox, FindsAnothersMail) {
  auto stolen = page({"a"}, true);
  stolen.owners = "u1 u2";
  EXPECT_EQ(judged({stolen})[Property::kPrivacy].violated, 1U);
}

}  // namespace
}  // namespace toolway::chaos
