#include "gateway/calls/idempotency.h"

#include <gtest/gtest.h>

#include "base/ids.h"
#include "gateway/calls/publication.h"
#include "proto/codec.h"
#include "proto/publication.h"
#include "proto/subjects.h"

namespace toolway::gateway::calls {
namespace {

using std::chrono::seconds;
using v1::IdempotencyRecord;
constexpr WallTime kKeyTime{seconds(1'000'000)};
constexpr seconds kPatience{6};

KeyEntry entry(IdempotencyRecord::State state, seconds age = seconds(0), std::string digest = "d") {
  return {key_record(state, digest, v1::CallRequest{}, kKeyTime - age), 7};
}
KeyStep step(const KeyEntry& entry) { return next_key_step(entry, "d", kKeyTime, kPatience); }

TEST(IdempotencyKey, IsOpaqueTextOfBoundedLength) {
  EXPECT_EQ(*parse_idempotency_key(std::nullopt), std::nullopt);
  EXPECT_EQ(**parse_idempotency_key("a b#7/ü"), "a b#7/ü");
  EXPECT_TRUE(parse_idempotency_key(std::string(255, 'k')));
  for (const std::string& wrong :
       {std::string(), std::string(256, 'k'), std::string("a\tb"), std::string("\xff")}) {
    const auto refused = parse_idempotency_key(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().error.code, ErrorCode::kInvalidIdentifier);
  }
}

TEST(IdempotencyKey, OfEveryCallIsItsOwn) {
  EXPECT_NE(call_key("k", 0), call_key("k", 1));
  EXPECT_NE(call_key("k#0", 0), call_key("k", 0));
}

TEST(IdempotencyKey, TheOrderOfMembersDoesNotMakeAnotherPayload) {
  const auto digest = [](const char* session, const char* text) {
    return payload_digest(session, Json::parse(text));
  };
  const auto first = digest("s", R"({"tool":"t","arguments":{"a":1,"b":[1,2]}})");
  EXPECT_EQ(first.size(), 64U);
  EXPECT_EQ(first, digest("s", R"( {"arguments":{"b":[1,2], "a":1},"tool":"t"} )"));
  EXPECT_NE(first, digest("s", R"({"tool":"t","arguments":{"a":1,"b":[2,1]}})"));
  EXPECT_NE(first, digest("s2", R"({"tool":"t","arguments":{"a":1,"b":[1,2]}})"));
}

/// Records last for 24 hours, and gateways of two versions read them while a fleet is updated.
TEST(IdempotencyKey, APayloadsDigestStaysTheSameFromVersionToVersion) {
  EXPECT_EQ(
      payload_digest(
          "s", Json::parse(R"({"tool":"t","arguments":{"f":1.50,"c":"\u00fc","b":[1, 2],"a":1}})")),
      "18ec4a9a3b5a8bb0ba4576d4eccac51ddfff1de0d58bced75fc4868f2499bbeb");
}

TEST(IdempotencyKey, EveryRecordSaysWhatARepeatedRequestGets) {
  EXPECT_EQ(step({}), KeyStep::kClaim);
  EXPECT_EQ(step({std::nullopt, 3}), KeyStep::kClaim);  // deleted
  EXPECT_EQ(step(entry(IdempotencyRecord::STATE_FREE)), KeyStep::kClaim);
  EXPECT_EQ(step(entry(IdempotencyRecord::STATE_FREE, seconds(0), "other")), KeyStep::kClaim);
  EXPECT_EQ(step(entry(IdempotencyRecord::STATE_ACCEPTED, seconds(3600))), KeyStep::kReplay);
  EXPECT_EQ(step(entry(IdempotencyRecord::STATE_ACCEPTED, seconds(0), "other")), KeyStep::kReused);
  EXPECT_EQ(step(entry(IdempotencyRecord::STATE_IN_FLIGHT, seconds(6))), KeyStep::kInFlight);
  EXPECT_EQ(step(entry(IdempotencyRecord::STATE_IN_FLIGHT, seconds(7))), KeyStep::kPublishAgain);
  EXPECT_EQ(step(entry(IdempotencyRecord::STATE_IN_FLIGHT, seconds(0), "other")), KeyStep::kReused);
}

TEST(IdempotencyKey, OneThatIsGivenUpIsForNoRequestAnyMore) {
  const KeyEntry given_up{given_up_record(kKeyTime), 3};
  EXPECT_EQ(step(given_up), KeyStep::kGivenUp);
  EXPECT_EQ(key_problem(KeyStep::kGivenUp, given_up, kKeyTime, seconds(6)).error.code,
            ErrorCode::kIdempotencyKeyReused);
  // A gateway of an older version takes it for another request's.
  EXPECT_EQ(given_up.record->state(), IdempotencyRecord::STATE_ACCEPTED);
  EXPECT_TRUE(given_up.record->payload_sha256().empty());
}

TEST(IdempotencyKey, ARecordIsReadFromTheBucket) {
  const auto noted = entry(IdempotencyRecord::STATE_ACCEPTED);
  const auto found =
      key_entry(bus::Entry{.key = "k", .value = noted.record->SerializeAsString(), .revision = 4});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->revision, 4U);
  EXPECT_EQ(found->record->state(), IdempotencyRecord::STATE_ACCEPTED);
  const auto none = key_entry(fail(ErrorCode::kNotFound, "no message"));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->revision, 0U);
  const auto deleted = key_entry(bus::Entry{.key = "k", .value = {}, .revision = 5});
  ASSERT_TRUE(deleted);
  EXPECT_FALSE(deleted->record);
  EXPECT_EQ(deleted->revision, 5U) << "the next write follows the deletion";
  EXPECT_EQ(key_entry(fail(ErrorCode::kTimeout, "no answer")).error().code, ErrorCode::kTimeout);
  EXPECT_EQ(key_entry(bus::Entry{.key = "k", .value = "\xff", .revision = 5}).error().code,
            ErrorCode::kInternal);
}

TEST(IdempotencyKey, ALostRaceIsReadAgain) {
  EXPECT_EQ(read_key_again(ErrorCode::kWrongLastSequence, 1), std::chrono::milliseconds(0));
  EXPECT_EQ(read_key_again(ErrorCode::kTimeout, 2), std::chrono::milliseconds(20));
  EXPECT_EQ(read_key_again(ErrorCode::kBusUnavailable, 1), std::nullopt);
}

TEST(IdempotencyKey, TheOwnNoteIsKnownByItsCallAndTime) {
  const auto written = key_record(IdempotencyRecord::STATE_IN_FLIGHT, "d", {}, kKeyTime);
  EXPECT_TRUE(is_own_note(entry(IdempotencyRecord::STATE_IN_FLIGHT), written));
  EXPECT_FALSE(is_own_note(entry(IdempotencyRecord::STATE_IN_FLIGHT, seconds(1)), written));
  EXPECT_FALSE(is_own_note(entry(IdempotencyRecord::STATE_ACCEPTED), written));
  EXPECT_FALSE(is_own_note({}, written));
}

TEST(IdempotencyKey, ACallThatWaitsForApprovalIsNotPublishedAgainUnlessItIsCertainlyNew) {
  v1::CallRequest call;
  v1::LookupAnswer answer;
  const Result<v1::LookupAnswer> none = fail(ErrorCode::kTimeout, "no collector answers");
  EXPECT_EQ(settled_by(call, none), Settled::kPublish) << "its worker asks again";
  EXPECT_EQ(settled_by(call, answer), Settled::kPublish);
  call.mutable_hold()->set_because("a rule");
  EXPECT_EQ(settled_by(call, none), Settled::kNotSure);
  EXPECT_EQ(settled_by(call, answer), Settled::kPublish);
  answer.set_known(true);
  EXPECT_EQ(settled_by(call, answer), Settled::kKnown);
}

TEST(IdempotencyKey, OnlyACallThatIsCertainlyNotStoredFreesItsKey) {
  EXPECT_EQ(key_state(KeyStep::kClaim, Published::kAccepted), IdempotencyRecord::STATE_ACCEPTED);
  EXPECT_EQ(key_state(KeyStep::kPublishAgain, Published::kAccepted),
            IdempotencyRecord::STATE_ACCEPTED);
  EXPECT_EQ(key_state(KeyStep::kClaim, Published::kRefused), IdempotencyRecord::STATE_FREE);
  EXPECT_EQ(key_state(KeyStep::kPublishAgain, Published::kRefused), std::nullopt);
  EXPECT_EQ(key_state(KeyStep::kClaim, Published::kUnknown), std::nullopt);
}

TEST(IdempotencyKey, WhatIsPublishedAgainSaysSoUnderTheIdOfTheFirstPublication) {
  v1::CallRequest noted;
  noted.set_call_id(CallId::make(kKeyTime).text());
  noted.set_session_key(SessionKey::make().text());
  noted.set_pool("native");
  const auto first = call_publication(noted, proto::Lane::kBulk, 3);
  const auto again = call_publication(published_again(noted), proto::Lane::kBulk, 3);
  EXPECT_EQ(again.message_id, noted.call_id() + ".0");
  EXPECT_EQ(again.message_id, first.message_id);
  EXPECT_EQ(again.subject, "call.native.bulk.3." + noted.session_key());
  EXPECT_EQ(proto::decode_call(first.payload)->publication(), 0U);
  EXPECT_EQ(proto::decode_call(again.payload)->publication(), proto::kRepeatedRequest);
}

TEST(IdempotencyKey, ProblemsSayWhatToDo) {
  const auto reused =
      key_problem(KeyStep::kReused, entry(IdempotencyRecord::STATE_ACCEPTED), kKeyTime, kPatience);
  EXPECT_EQ(wire::status_of(reused), 422U);
  const auto busy =
      key_problem(KeyStep::kInFlight, entry(IdempotencyRecord::STATE_IN_FLIGHT, seconds(2)),
                  kKeyTime, kPatience);
  EXPECT_EQ(wire::status_of(busy), 409U);
  EXPECT_EQ(wire::retry_after_seconds(busy), 4U);
}

}  // namespace
}  // namespace toolway::gateway::calls
