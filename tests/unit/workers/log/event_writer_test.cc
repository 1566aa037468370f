#include "workers/log/event_writer.h"

#include <gtest/gtest.h>

#include "proto/audit.h"
#include "proto/codec.h"

namespace toolway::workers::log {
namespace {

TEST(EventWriter, TellsTheAuditWhyACallWasLetInByItsEndAlone) {
  v1::CallRequest request;
  request.set_call_id("019c1f2e-0000-7000-8000-000000000001");
  request.set_session_key("0123456789abcdef0123456789abcdef");
  request.mutable_principal()->set_method("key");
  v1::Admission admission;
  admission.set_policy(3);
  request.set_admission(admission.SerializeAsString());
  const EventOrigin origin{.request = request, .worker_id = "w"};
  v1::Completed body;
  const auto ended = proto::decode_event(write_completed(origin, {.attempt = 1, .seq = 2}, body));
  ASSERT_TRUE(ended) << ended.error().message;
  const auto told = proto::admission_of(ended->admission());
  EXPECT_EQ(told.policy(), 3U);
  EXPECT_EQ(told.method(), "key");
  // Written after it, by the same thread.
  const auto started = proto::decode_event(write_started(origin, {.attempt = 1, .seq = 1}, 5));
  ASSERT_TRUE(started);
  EXPECT_TRUE(started->admission().empty());
  request.clear_admission();
  request.clear_principal();
  const auto other = proto::decode_event(write_completed(origin, {.attempt = 1, .seq = 2}, body));
  ASSERT_TRUE(other);
  const auto nothing = proto::admission_of(other->admission());
  EXPECT_EQ(nothing.policy(), 0U);
  EXPECT_EQ(nothing.method(), "");
}

}  // namespace
}  // namespace toolway::workers::log
