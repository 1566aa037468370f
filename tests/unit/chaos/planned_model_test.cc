#include <gtest/gtest.h>

#include "tests/chaos/event_seen.h"
#include "tests/chaos/planned_model.h"
#include "tests/chaos/rpc_message.h"

namespace toolway::chaos {
namespace {

using tools::messages::Message;
using tools::messages::Role;

constexpr const char* kToken = "tok.u1.t0-1.";

Plan two_rounds() {
  return {.token = kToken,
          .rounds = {{{"chaos__effect", {{"token", token_of_call(kToken, 1)}}},
                      {"bench__echo", {{"payload", token_of_call(kToken, 2)}}}},
                     {{"tasks__check_task_status", {{"wait_s", 1}}}}},
          .think_ms = 7};
}

Message results_of(std::initializer_list<const char*> texts) {
  Message message{.role = Role::kResults};
  for (const auto* text : texts) message.results.push_back({.call_id = "a", .text = text});
  return message;
}

Message answer_to(const std::vector<Message>& messages) {
  tools::messages::Selection sent;
  for (const auto& message : messages) sent.push_back(&message);
  return planned_answer(sent);
}

TEST(Plan, IsReadAsItWasWritten) {
  const auto plan = two_rounds();
  const auto read = read_plan("[[SYSTEM: what came before]]\n" + message_of(plan) + "\nand after");
  ASSERT_TRUE(read);
  EXPECT_EQ(message_of(*read), message_of(plan));
  EXPECT_EQ(read->think_ms, 7U);
  EXPECT_FALSE(read_plan("what is the time?"));
}

TEST(Plan, EachCallHasATokenOfItsMessage) {
  Randomness random(3);
  for (int i = 0; i < 200; ++i) {
    const auto plan = make_plan(random, kToken);
    const auto text = message_of(plan);
    EXPECT_EQ(token_in(text), kToken);
    EXPECT_EQ(owners_in(text), "u1");
    for (const auto& round : plan.rounds)
      for (const auto& call : round)
        if (const auto token = token_in(to_text(call.arguments)); !token.empty()) {
          EXPECT_EQ(token_of_message(token), kToken);
          EXPECT_NE(token, kToken);
        }
  }
}

TEST(PlannedModel, MakesTheCallsOfEachRoundAndThenReplies) {
  std::vector<Message> messages{
      tools::messages::text_message(Role::kUser, message_of(two_rounds()))};
  EXPECT_EQ(calls_of(answer_to(messages)).size(), 2U);
  messages.push_back(answer_to(messages));
  messages.push_back(results_of({"one", "it is 01900000-0000-7000-8000-00000000000a"}));
  const auto second = calls_of(answer_to(messages));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].arguments,
            R"({"wait_s":1,"call_id":"01900000-0000-7000-8000-00000000000a"})");
  messages.push_back(answer_to(messages));
  messages.push_back(results_of({"three"}));
  EXPECT_EQ(text_of(answer_to(messages)), reply_to(kToken));
}

TEST(PlannedModel, BeginsAgainWithEachMessageOfTheUser) {
  const auto message = tools::messages::text_message(Role::kUser, message_of(two_rounds()));
  EXPECT_EQ(
      calls_of(answer_to({message, results_of({"one", "two"}), results_of({"three"}), message}))
          .size(),
      2U);
}

TEST(PlannedModel, WhatIsToldOfCallsIsNotAMessageOfTheUser) {
  const auto told =
      tools::messages::text_message(Role::kUser, "[[SYSTEM: chaos.effect completed]]");
  EXPECT_EQ(text_of(answer_to({tools::messages::text_message(Role::kUser, message_of(two_rounds())),
                               results_of({"one", "two"}), results_of({"three"}), told})),
            reply_to(kToken));
  EXPECT_EQ(text_of(answer_to({told})), reply_to("nothing"));
}

}  // namespace
}  // namespace toolway::chaos
