// The calls of turns: that each is made once, and that the model learns how it ended, once.
#include <fmt/format.h>

#include <map>
#include <set>
#include <unordered_map>

#include "tests/chaos/check_conversations.h"
#include "tests/chaos/plan.h"
#include "tests/chaos/rpc_message.h"

namespace toolway::chaos {
namespace {

constexpr auto kTurnCalls = Property::kTurnCalls;
constexpr auto kTold = Property::kTold;
constexpr std::string_view kNeverStarted = "the call was never started";

bool flag_at(const OrderedJson& object, const char* name) {
  return object.is_object() && object.contains(name) && object[name] == true;
}

class CallCheck {
 public:
  CallCheck(const Conversed& seen, Verdicts& verdicts) : verdicts_(verdicts) {
    for (const auto& call : seen.calls) {
      calls_[call.call_id] = &call;
      if (!call.parent.empty()) by_token_[call.token].push_back(&call);
    }
    for (const auto& turn : seen.turns) turns_[turn.call_id] = &turn;
    for (const auto& post : seen.posts)
      if (post.face == kMessages) messages_[post.session].insert(post.token);
  }

  /// A call that a turn made.
  void judge(const CallRow& call) {
    const auto turn = turns_.find(call.parent);
    const bool its = turn != turns_.end() && turn->second->session == call.session;
    expect(call, its, "it was made by a turn that its session does not have");
    const auto& messages = messages_[call.session];
    expect(call, messages.contains(token_of_message(call.token)) && !messages.contains(call.token),
           "no message of its session asks for it: " + call.token);
    verdicts_.expect(Property::kOneCompletion, !call.outcome.empty(),
                     {"a turn made it, and it has not ended", call.session, call.call_id});
  }

  void judge_times() {
    for (const auto& [token, calls] : by_token_)
      expect(*calls.front(), calls.size() == 1,
             fmt::format("what the model asked for once is {} calls", calls.size()));
  }

  /// What a message's calls are said to have returned.
  void judge_results(const ConversationEnd& conversation, std::size_t at) {
    std::map<std::string, std::string> tokens;  // by the model's id
    for (const auto& part : list_at(conversation.messages[at - 1].body, "parts"))
      if (part.contains("call"))
        tokens[text_at(part["call"], "id")] = token_in(text_at(part["call"], "arguments"));
    for (const auto& result : list_at(conversation.messages[at].body, "results"))
      judge_result(conversation, result, tokens[text_at(result, "call_id")]);
  }

 private:
  void judge_result(const ConversationEnd& conversation, const OrderedJson& result,
                    const std::string& token) {
    if (token.empty()) return;  // about another call
    const auto text = text_at(result, "text");
    const auto made = by_token_.find(token);
    if (text.starts_with(kNeverStarted)) {
      verdicts_.expect(kTurnCalls, made == by_token_.end(),
                       {token + " is said not to have started, and it has", conversation.session,
                        made == by_token_.end() ? "" : made->second.front()->call_id});
      return;
    }
    const auto ran_as = text_at(result, "ran_as");
    if (ran_as.empty()) return;
    const auto call = calls_.find(ran_as);
    const bool there = call != calls_.end() && call->second->token == token &&
                       call->second->session == conversation.session;
    verdicts_.expect(kTurnCalls, there,
                     {"a result is said to be that of a call which is not the one asked for",
                      conversation.session, ran_as});
    if (!there || flag_at(result, "is_error") || flag_at(result, "detached")) return;
    expect(*call->second, call->second->outcome == "succeeded",
           "the model read a result, and it ended as " + call->second->outcome);
    expect(*call->second, text.find(token) != std::string::npos,
           "the model read another call's result: " + text.substr(0, 100));
  }

  void expect(const CallRow& call, bool holds, const std::string& what) {
    verdicts_.expect(kTurnCalls, holds, {what, call.session, call.call_id});
  }

  Verdicts& verdicts_;
  std::unordered_map<std::string, const CallRow*> calls_;
  std::map<std::string, std::vector<const CallRow*>> by_token_;  ///< those that turns made
  std::map<std::string, const TurnEnd*> turns_;
  std::map<std::string, std::set<std::string>> messages_;  ///< tokens, by session
};

/// Where the end of each call of a session is told.
using ToldIn = std::map<std::string, std::vector<std::string>>;  ///< conversations, by call

class ToldCheck {
 public:
  ToldCheck(const Conversed& seen, Verdicts& verdicts) : verdicts_(verdicts) {
    for (const auto& call : seen.calls) calls_[call.call_id] = &call;
    for (const auto& conversation : seen.conversations)
      for (const auto& message : conversation.messages) collect(conversation, message);
  }

  void judge_all() {
    for (const auto& [session, told] : told_)
      for (const auto& [call, where] : told)
        verdicts_.expect(kTold, where.size() == 1,
                         {fmt::format("its end is told {} times", where.size()), session, call});
  }

  /// What outlived its turn in a conversation that was not left.
  void judge_current(const ConversationEnd& conversation) {
    for (const auto& message : conversation.messages)
      for (const auto& result : list_at(message.body, "results"))
        if (flag_at(result, "detached")) expect_told(conversation, text_at(result, "ran_as"));
  }

  void expect_told(const ConversationEnd& conversation, const std::string& call) {
    const auto& where = told_[conversation.session][call];
    const bool here = std::ranges::find(where, conversation.id) != where.end();
    verdicts_.expect(kTold, here || call.empty(),
                     {"its end is told nowhere", conversation.session, call});
  }

 private:
  void collect(const ConversationEnd& conversation, const StoredMessage& message) {
    for (const auto& about : list_at(message.body, "about")) {
      const auto id = about.is_string() ? about.get<std::string>() : std::string();
      told_[conversation.session][id].push_back(conversation.id);
      const auto call = calls_.find(id);
      const bool ended = call != calls_.end() && call->second->session == conversation.session &&
                         !call->second->outcome.empty();
      verdicts_.expect(kTold, ended,
                       {"the end is told of a call that its session does not have, or that has not "
                        "ended",
                        conversation.session, id});
      if (!ended || call->second->outcome != "succeeded") continue;
      verdicts_.expect(kTold, text_of(message).find(call->second->token) != std::string::npos,
                       {"what is told is not its result", conversation.session, id});
    }
  }

  Verdicts& verdicts_;
  std::unordered_map<std::string, const CallRow*> calls_;
  std::map<std::string, ToldIn> told_;  ///< by session
};

}  // namespace

void check_turn_calls(const Conversed& seen, Verdicts& verdicts) {
  CallCheck check(seen, verdicts);
  for (const auto& call : seen.calls)
    if (!call.parent.empty()) check.judge(call);
  check.judge_times();
  for (const auto& conversation : seen.conversations)
    for (std::size_t i = 1; i < conversation.messages.size(); ++i)
      check.judge_results(conversation, i);
}

void check_told(const Conversed& seen, Verdicts& verdicts) {
  ToldCheck check(seen, verdicts);
  check.judge_all();
  std::map<std::string, const std::set<std::string>*> elsewhere;
  for (const auto& talk : seen.talks) elsewhere[talk.session] = &talk.elsewhere;
  for (std::size_t i = 0; i < seen.conversations.size(); ++i) {
    if (!is_current(seen.conversations, i)) continue;
    const auto& conversation = seen.conversations[i];
    check.judge_current(conversation);
    if (const auto found = elsewhere.find(conversation.session); found != elsewhere.end())
      for (const auto& call : *found->second) check.expect_told(conversation, call);
  }
}

}  // namespace toolway::chaos
