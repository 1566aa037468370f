#include "proto/audit.h"

#include <gtest/gtest.h>

namespace toolway::proto {
namespace {

TEST(Admission, SaysHowItsCallerWasKnown) {
  v1::CallRequest request;
  request.mutable_principal()->set_method("key");
  request.mutable_principal()->set_key_id("0123456789ab");
  const auto unjudged = admission_of(admission_to_tell(request));
  EXPECT_EQ(unjudged.policy(), 0U);
  EXPECT_EQ(unjudged.method(), "key");
  EXPECT_EQ(unjudged.key_id(), "0123456789ab");
  v1::Admission judged;
  judged.set_policy(3);
  judged.set_arguments_digest("sha256:x");
  judged.add_reasons()->set_because("r");
  request.set_admission(judged.SerializeAsString());
  const auto told = admission_of(admission_to_tell(request));
  EXPECT_EQ(told.policy(), 3U);
  EXPECT_EQ(told.arguments_digest(), "sha256:x");
  EXPECT_EQ(told.reasons_size(), 1);
  EXPECT_EQ(told.key_id(), "0123456789ab");
}

TEST(Admission, NamesTheDigestOfArgumentsAsOlderGatewaysDid) {
  v1::Admission admission;
  EXPECT_EQ(arguments_digest(admission), "");
  admission.set_arguments_digest("sha256:12");
  EXPECT_EQ(arguments_digest(admission), "sha256:12");
  admission.set_arguments_sha256(std::string("\x00\xff", 2));
  EXPECT_EQ(arguments_digest(admission), "sha256:00ff");
}

TEST(Admission, OfBytesThatAreNoneSaysNothing) {
  v1::Admission judged;
  judged.set_policy(3);
  EXPECT_EQ(admission_of(judged.SerializeAsString() + "\xff").policy(), 0U);
  EXPECT_EQ(admission_of("").policy(), 0U);
}

TEST(AuditRecord, IsReadAgain) {
  v1::AuditRecord record;
  record.set_id("019c1f2e-0000-7000-8000-000000000001");
  record.set_what("key_created");
  record.set_object("0123456789ab");
  v1::AuditRecord back;
  ASSERT_TRUE(decode(encode(record), back));
  EXPECT_EQ(back.object(), "0123456789ab");
}

TEST(AuditRecord, IsRefusedWithoutAnIdOrAKind) {
  v1::AuditRecord record;
  v1::AuditRecord back;
  record.set_what("key_created");
  EXPECT_FALSE(decode(encode(record), back));
  record.set_id("019c1f2e-0000-7000-8000-000000000001");
  for (const std::string& what : {std::string(), std::string("a b"), std::string("a\0b", 3)}) {
    record.set_what(what);
    EXPECT_FALSE(decode(encode(record), back)) << what;
  }
  EXPECT_FALSE(decode("\xff\xff", back));
}

}  // namespace
}  // namespace toolway::proto
