#include "persistence/collector/approval_rows.h"

#include <gtest/gtest.h>

#include "proto/approvals.h"

namespace toolway::persistence::collector {
namespace {

v1::CallRequest held() {
  v1::CallRequest call;
  call.set_call_id("019c1f2e-0000-7000-8000-000000000001");
  call.set_user_id("ann");
  call.mutable_labels()->set_namespace_("files");
  call.mutable_labels()->set_tool("remove");
  call.set_submitted_at_us(7);
  call.mutable_hold()->set_quorum(1);
  return call;
}

/// What the row says, with its place: nothing without a row.
std::string said(const std::optional<Row>& row, const std::string& bytes) {
  if (!row) return "";
  EXPECT_EQ(row->offset + row->length, bytes.size());
  for (const std::string state :
       {"waiting", "approved", "denied", "expired", "stale", "cancelled"}) {
    if (bytes.find(state) == std::string::npos) continue;
    return state + " " + std::to_string(row->sequence) +
           (bytes.find("bea") == std::string::npos ? "" : " bea");
  }
  return "?";
}
template <typename Message>
std::string of(const Message& message) {
  std::string bytes;
  const auto row = encode_approval(message, bytes);
  EXPECT_EQ(!row, bytes.empty());
  return said(row, bytes);
}

TEST(ApprovalRows, AreMadeOfHeldCallsOnly) {
  auto call = held();
  EXPECT_EQ(of(call), "waiting 0");
  call.set_released_at_us(9);
  EXPECT_EQ(of(call), "") << "the decision said so";
  EXPECT_EQ(of(v1::CallRequest()), "");
  EXPECT_EQ(of(v1::CallEvent()), "");
}

TEST(ApprovalRows, FollowTheLog) {
  const WallTime now = from_unix_us(9);
  const auto asked = proto::approval_request(held(), "d", now);
  EXPECT_EQ(of(asked), "waiting 1");
  v1::Vote vote;
  vote.set_user_id("bea");
  EXPECT_EQ(of(proto::approval_decided(held(), asked, vote, now)), "denied 2 bea");
  vote.set_approve(true);
  const auto approved = proto::approval_decided(held(), asked, vote, now);
  EXPECT_EQ(of(approved), "approved 2 bea");
  auto two = held();
  two.mutable_hold()->set_quorum(2);
  EXPECT_EQ(of(proto::approval_decided(two, proto::approval_request(two, "d", now), vote, now)),
            "waiting 2")
      << "no one has said the last word";
  EXPECT_EQ(of(proto::rejected_completion(held(), nullptr, ErrorCode::kApprovalExpired, now)),
            "expired 1");
  EXPECT_EQ(of(proto::rejected_completion(held(), &asked, ErrorCode::kApprovalStale, now)),
            "stale 2");
  EXPECT_EQ(of(proto::rejected_completion(held(), &approved, ErrorCode::kApprovalDenied, now)), "")
      << "the denial said so, and by whom";
  auto cancelled = proto::event_after(held(), &asked, now);
  cancelled.mutable_cancel_requested();
  EXPECT_EQ(of(cancelled), "");
  cancelled.mutable_cancel_requested()->set_held(true);
  EXPECT_EQ(of(cancelled), "cancelled 2");
}

}  // namespace
}  // namespace toolway::persistence::collector
