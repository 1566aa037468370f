#include "gateway/mcp/approval_question.h"

#include <gtest/gtest.h>

#include "proto/questions.h"
#include "tests/unit/extensions/policies.h"

namespace toolway::gateway::mcp {
namespace {

wire::Caller ann() {
  wire::Caller caller;
  caller.tenant_id = "default";
  caller.user_id = "ann";
  return caller;
}

/// Ann's call of fs.delete, held by a rule that lets her decide.
v1::CallEvent held(unsigned quorum = 1) {
  v1::CallEvent event;
  event.set_tenant_id("default");
  event.set_user_id("ann");
  event.mutable_labels()->set_namespace_("fs");
  event.mutable_labels()->set_tool("delete");
  auto& hold = *event.mutable_approval_requested()->mutable_hold();
  hold.set_because("rule own_word");
  hold.set_quorum(quorum);
  hold.set_requester_may_decide(true);
  return event;
}

TEST(ApprovalQuestion, AsksTheCallerWhomTheRuleLetsDecide) {
  const auto question = approval_question(held(), ann(), nullptr);
  ASSERT_TRUE(question);
  EXPECT_EQ(question->key(), kApprovalKey);
  EXPECT_EQ(question->method(), proto::kElicit);
  const auto params = parse_json(question->params());
  ASSERT_TRUE(params);
  EXPECT_EQ((*params)["message"],
            "Approve this call of fs.delete? rule own_word holds it until someone has.");
  EXPECT_EQ((*params)["requestedSchema"]["required"], Json({"approve"}));
}

TEST(ApprovalQuestion, AsksNoOneElse) {
  EXPECT_FALSE(approval_question(std::nullopt, ann(), nullptr));
  auto event = held();
  event.mutable_approval_requested()->mutable_hold()->set_requester_may_decide(false);
  EXPECT_FALSE(approval_question(event, ann(), nullptr));
  auto bea = ann();
  bea.user_id = "bea";
  EXPECT_FALSE(approval_question(held(), bea, nullptr));
  auto elsewhere = ann();
  elsewhere.tenant_id = "other";
  EXPECT_FALSE(approval_question(held(), elsewhere, nullptr));
  v1::CallEvent begun = held();
  begun.mutable_started();
  EXPECT_FALSE(approval_question(begun, ann(), nullptr));
}

TEST(ApprovalQuestion, AsksNothingOfWhoHasNoRight) {
  const auto policy = extensions::test::policy(
      "roles: {agent: {permissions: [\"call:*\"]}, boss: {permissions: [\"*\"]}}\n"
      "default_roles: [agent]\n");
  EXPECT_FALSE(approval_question(held(), ann(), policy));
  auto boss = ann();
  boss.roles = {"boss"};
  EXPECT_TRUE(approval_question(held(), boss, policy));
}

TEST(ApprovalQuestion, AsksOnceWhereMoreMustApprove) {
  auto event = held(2);
  const auto hold = event.approval_requested().hold();
  event.clear_kind();
  *event.mutable_approval_decided()->mutable_hold() = hold;
  auto& vote = *event.mutable_approval_decided()->add_votes();
  vote.set_user_id("bea");
  vote.set_approve(true);
  EXPECT_TRUE(approval_question(event, ann(), nullptr));
  vote.set_user_id("ann");
  EXPECT_FALSE(approval_question(event, ann(), nullptr));
}

TEST(ApprovalQuestion, ReadsYesAndNoAndNeither) {
  auto read = read_approval({{"action", "accept"}, {"content", {{"approve", true}}}});
  ASSERT_TRUE(read && *read);
  EXPECT_TRUE((*read)->approve);
  EXPECT_EQ((*read)->reason, "");
  read = read_approval(
      {{"action", "accept"}, {"content", {{"approve", false}, {"reason", "not today"}}}});
  ASSERT_TRUE(read && *read);
  EXPECT_FALSE((*read)->approve);
  EXPECT_EQ((*read)->reason, "not today");
  read = read_approval({{"action", "decline"}});
  ASSERT_TRUE(read && *read);
  EXPECT_FALSE((*read)->approve);
  read = read_approval({{"action", "cancel"}});
  ASSERT_TRUE(read);
  EXPECT_FALSE(*read);
}

TEST(ApprovalQuestion, RefusesWhatCannotBeAnAnswer) {
  const std::vector<Json> wrong{
      Json::object(),
      {{"action", "yes"}},
      {{"action", 1}},
      {{"action", "accept"}},
      {{"action", "accept"}, {"content", "yes"}},
      {{"action", "accept"}, {"content", {{"approve", "true"}}}},
      {{"action", "accept"}, {"content", {{"approve", true}, {"reason", 5}}}},
      {{"action", "accept"}, {"content", {{"approve", true}, {"reason", std::string(1025, 'x')}}}}};
  for (const auto& answer : wrong) EXPECT_FALSE(read_approval(answer)) << answer;
}

}  // namespace
}  // namespace toolway::gateway::mcp
