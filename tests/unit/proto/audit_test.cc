#include "proto/audit.h"

#include <gtest/gtest.h>

namespace toolway::proto {
namespace {

TEST(Admission, SaysHowItsCallerWasKnown) {
  v1::CallRequest request;
  request.mutable_principal()->set_method("key");
  request.mutable_principal()->set_key_id("0123456789ab");
  v1::Admission admission;
  admission.set_policy(9);  // of the call before it
  write_admission(request, admission);
  EXPECT_EQ(admission.policy(), 0U);
  EXPECT_EQ(admission.method(), "key");
  EXPECT_EQ(admission.key_id(), "0123456789ab");
  request.mutable_admission()->set_policy(3);
  request.mutable_admission()->set_arguments_digest("sha256:x");
  write_admission(request, admission);
  EXPECT_EQ(admission.policy(), 3U);
  EXPECT_EQ(admission.arguments_digest(), "sha256:x");
  EXPECT_EQ(admission.key_id(), "0123456789ab");
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
