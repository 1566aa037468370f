#include "proto/approvals.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "proto/codec.h"
#include "proto/publication.h"

namespace toolway::proto {
namespace {

constexpr WallTime kNow{std::chrono::seconds(1'800'000'000)};

v1::CallRequest held(unsigned quorum = 1) {
  v1::CallRequest request;
  request.set_call_id("0192a000-0000-7000-8000-000000000001");
  request.set_session_key("0123456789abcdef0123456789abcdef");
  request.set_tenant_id("default");
  request.set_user_id("ann");
  request.mutable_labels()->set_namespace_("shop");
  request.mutable_labels()->set_tool("pay");
  request.set_spec_digest("sha256:1");
  request.mutable_principal()->set_user_id("ann");
  request.mutable_hold()->set_quorum(quorum);
  return request;
}

v1::Vote vote(const std::string& user, bool approve = true) {
  v1::Vote made;
  made.set_user_id(user);
  made.set_approve(approve);
  return made;
}

/// One byte of anything that is approved makes it something else.
TEST(Approvals, TheDigestIsOfAllThatIsApproved) {
  const std::vector<std::function<void(v1::CallRequest&)>> changes{
      [](auto& it) { it.set_call_id("0192a000-0000-7000-8000-000000000002"); },
      [](auto& it) { it.set_session_key("1123456789abcdef0123456789abcdef"); },
      [](auto& it) { it.set_tenant_id("defaulu"); }, [](auto& it) { it.set_user_id("anm"); },
      [](auto& it) { it.mutable_labels()->set_namespace_("shoq"); },
      [](auto& it) { it.mutable_labels()->set_tool("paz"); },
      [](auto& it) { it.set_spec_digest("sha256:2"); },
      [](auto& it) { it.mutable_principal()->set_user_id("anm"); },
      [](auto& it) { it.mutable_principal()->set_method("key"); },
      [](auto& it) { it.mutable_principal()->set_key_id("k"); },
      // The same bytes, divided in another way.
      [](auto& it) {
        it.mutable_labels()->set_namespace_("sho");
        it.mutable_labels()->set_tool("ppay");
      }};
  std::set<std::string> digests{approval_digest(held(), "a"), approval_digest(held(), "b")};
  for (const auto& change : changes) {
    auto request = held();
    change(request);
    digests.insert(approval_digest(request, "a"));
  }
  EXPECT_EQ(digests.size(), changes.size() + 2);
  auto released = held();
  released.set_publication(kReleased);
  released.set_released_at_us(5);
  released.mutable_limits()->set_run_ms(5);
  EXPECT_EQ(approval_digest(released, "a"), approval_digest(held(), "a"));
}

TEST(Approvals, AQuorumOfVotesApproves) {
  const auto request = held(2);
  const auto asked = approval_request(request, "d", kNow);
  EXPECT_EQ(asked.seq(), 1U);
  EXPECT_EQ(approval_state(asked), ApprovalState::kWaiting);
  const auto one = approval_decided(request, asked, vote("bea"), kNow);
  EXPECT_EQ(one.seq(), 2U);
  EXPECT_EQ(approval_state(one), ApprovalState::kWaiting);
  EXPECT_TRUE(one.approved().empty());
  const auto both = approval_decided(request, one, vote("cid"), kNow);
  EXPECT_EQ(approval_state(both), ApprovalState::kApproved);
  EXPECT_EQ(both.approved(), "d");
  EXPECT_EQ(approvals_of(both.approval_decided()), 2U);
  const auto denied = approval_decided(request, one, vote("cid", false), kNow);
  EXPECT_EQ(approval_state(denied), ApprovalState::kDenied);
  EXPECT_TRUE(denied.approved().empty());
}

TEST(Approvals, AReleaseIsAlwaysTheSameBytes) {
  const auto request = held();
  const auto approved =
      approval_decided(request, approval_request(request, "d", kNow), vote("bea"), kNow);
  const auto run = released(request, approved);
  EXPECT_FALSE(waits_for_approval(run));
  EXPECT_TRUE(must_be_approved(run));
  EXPECT_EQ(run.publication(), kReleased);
  EXPECT_EQ(clocks_began_us(run), to_unix_us(kNow));
  EXPECT_EQ(run.approval().digest(), "d");
  EXPECT_EQ(encode(run), encode(released(request, approved)));
}

TEST(Approvals, ARejectionSaysWhy) {
  const auto request = held();
  auto no = vote("bea", false);
  no.set_reason("not today");
  const auto asked = approval_request(request, "d", kNow);
  const auto denied = approval_decided(request, asked, no, kNow);
  const auto message = [&](const v1::CallEvent* last, ErrorCode code) {
    const auto end = rejected_completion(request, last, code, kNow);
    EXPECT_EQ(end.completed().outcome(), v1::OUTCOME_REJECTED);
    EXPECT_EQ(end.completed().error().code(), code_name(code));
    EXPECT_EQ(end.seq(), last == nullptr ? 1U : last->seq() + 1);
    EXPECT_EQ(end.attempt(), 0U);
    return end.completed().error().message();
  };
  EXPECT_EQ(message(&denied, ErrorCode::kApprovalDenied), "denied: not today");
  EXPECT_EQ(message(&asked, ErrorCode::kApprovalExpired), "denied: no one decided in time");
  EXPECT_EQ(message(nullptr, ErrorCode::kApprovalExpired), "denied: no one decided in time");
  EXPECT_NE(message(&asked, ErrorCode::kApprovalStale).find("has changed"), std::string::npos);
}

}  // namespace
}  // namespace toolway::proto
