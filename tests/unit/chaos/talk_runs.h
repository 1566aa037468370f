#pragma once

#include <string>
#include <vector>

#include "tests/chaos/check_conversations.h"
#include "tests/chaos/message_page.h"
#include "tests/chaos/plan.h"

namespace toolway::chaos {

inline constexpr const char* kAsked = "tok.u1.t0-1.";
inline constexpr const char* kPlanned = "tok.u1.t0-1_1.";

/// A run with one conversation, which is in order: a message, whose call outlives its turn, the
/// reply, and what is told of the call in a turn that begins by itself.
struct TalkRun {
  std::vector<ConversationEnd> conversations;
  std::vector<TurnEnd> turns;
  std::vector<CallRow> calls;
  std::vector<Post> posts;
  std::vector<Look> looks;
  std::vector<MessagePage> pages;
  std::vector<Talk> talks;

  std::vector<StoredMessage>& messages() { return conversations.front().messages; }
  OrderedJson& result() { return messages()[2].body["results"][0]; }
  /// All gateways show the messages as they are now.
  void show() {
    std::vector<MessageShown> shown;
    for (const auto& message : messages())
      shown.push_back(message_shown(message.number, message.turn, message.body));
    conversations.front().shown = {shown, shown};
  }
  Verdicts judged() const {
    Verdicts verdicts;
    check_conversations({conversations, turns, calls, posts, looks, pages, talks}, verdicts);
    return verdicts;
  }
};

inline OrderedJson says(const char* role, const std::string& text) {
  if (std::string_view(role) != "assistant") return {{"role", role}, {"text", text}};
  return {{"role", role}, {"parts", {{{"text", text}}}}};
}

inline CallRow call_of_turn(const std::string& id, const std::string& token) {
  return {.call_id = id,
          .user = "u1",
          .session = "s1",
          .tool = "chaos.effect",
          .token = token,
          .outcome = "succeeded",
          .attempt = 1,
          .parent = "t1"};
}

inline TurnEnd turn_end(const std::string& id, const std::string& step, const std::string& token,
                        std::uint64_t last) {
  return {.call_id = id,
          .session = "s1",
          .step = step,
          .token = token,
          .outcome = "succeeded",
          .code = {},
          .conversation = "v1",
          .reply = reply_to(kAsked),
          .last_message = last};
}

inline TalkRun talk_in_order() {
  const Plan plan{
      .token = kAsked, .rounds = {{{"chaos__effect", {{"token", kPlanned}}}}}, .think_ms = 0};
  const auto arguments = to_text(plan.rounds.front().front().arguments);
  TalkRun run;
  run.turns = {turn_end("t1", "send", kAsked, 4), turn_end("t2", "continue", "", 6)};
  run.calls = {call_of_turn("c1", kPlanned)};
  run.posts = {{.user = "u1",
                .session = "s1",
                .tool = kTurnTool,
                .token = kAsked,
                .key = "k",
                .face = kMessages,
                .fate = Fate::kAccepted,
                .call_id = "t1"}};
  run.conversations = {{.id = "v1", .user = "u1", .session = "s1", .number = 1}};
  auto told = says("injected", std::string("[[SYSTEM: chaos.effect completed: ") + kPlanned + "]]");
  told["about"] = {"c1"};
  const OrderedJson call{{"id", "a"}, {"tool", "chaos__effect"}, {"arguments", arguments}};
  const OrderedJson result{
      {"call_id", "a"}, {"text", "it runs on"}, {"ran_as", "c1"}, {"detached", true}};
  run.messages() = {
      {1, "t1", says("user", message_of(plan))},
      {2, "t1", OrderedJson{{"role", "assistant"}, {"parts", {{{"call", call}}}}}},
      {3, "t1", OrderedJson{{"role", "results"}, {"results", OrderedJson::array({result})}}},
      {4, "t1", says("assistant", reply_to(kAsked))},
      {5, "t2", std::move(told)},
      {6, "t2", says("assistant", reply_to(kAsked))}};
  run.talks = {{.user = "u1", .session = "s1", .elsewhere = {}, .last_turn = "t1"}};
  run.show();
  return run;
}

}  // namespace toolway::chaos
