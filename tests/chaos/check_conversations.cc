#include "tests/chaos/check_conversations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/chaos/message_page.h"
#include "tests/chaos/plan.h"
#include "tests/chaos/rpc_message.h"

namespace toolway::chaos {
namespace {

std::string role_of(const StoredMessage& message) { return text_at(message.body, "role"); }

/// The ids of the calls in an assistant's message.
std::vector<std::string> calls_in(const OrderedJson& body) {
  std::vector<std::string> ids;
  for (const auto& part : list_at(body, "parts"))
    if (part.contains("call")) ids.push_back(text_at(part["call"], "id"));
  return ids;
}

std::vector<std::string> answered_in(const OrderedJson& body) {
  std::vector<std::string> ids;
  for (const auto& result : list_at(body, "results")) ids.push_back(text_at(result, "call_id"));
  return ids;
}

/// A message of a user, and where it is.
struct SaidAt {
  const ConversationEnd* conversation = nullptr;
  const StoredMessage* message = nullptr;
};

class TurnCheck {
 public:
  TurnCheck(const Conversed& seen, Verdicts& verdicts) : verdicts_(verdicts) {
    for (const auto& turn : seen.turns) turns_[turn.call_id] = &turn;
    for (const auto& conversation : seen.conversations) {
      by_id_[conversation.id] = &conversation;
      for (const auto& message : conversation.messages)
        if (role_of(message) == "user") said_[message.turn].push_back({&conversation, &message});
    }
  }

  void judge(const TurnEnd& turn) {
    verdicts_.expect(Property::kOneCompletion, !turn.outcome.empty(),
                     {"a turn that has not ended", turn.session, turn.call_id});
    const auto said = said_.find(turn.call_id);
    const auto times = said == said_.end() ? 0 : said->second.size();
    const bool succeeded = turn.outcome == "succeeded";
    const bool fine = succeeded && turn.step == "send" ? times == 1 : times <= 1;
    expect(turn, fine, fmt::format("its message is stored {} times", times));
    if (turn.outcome == "unknown" || turn.outcome == "lost")
      expect(turn, false, "a turn, whose attempts continue, ended as " + turn.outcome);
    if (!succeeded) return;
    const auto conversation = by_id_.find(turn.conversation);
    expect(turn, conversation != by_id_.end(),
           "there is no conversation " + turn.conversation + ", which its result names");
    if (conversation == by_id_.end() || turn.step == "new") return;
    if (turn.step == "send" && times == 1)
      expect(turn, said->second.front().conversation == conversation->second,
             "its message is in another conversation than its result says");
    // One that had nothing to tell any more says nothing.
    if (turn.step != "continue" || !turn.reply.empty()) judge_reply(turn, *conversation->second);
  }

  void judge_messages() {
    for (const auto& [turn, said] : said_) {
      const auto found = turns_.find(turn);
      for (const auto& [conversation, message] : said) {
        const bool its_own = found != turns_.end() && found->second->step == "send" &&
                             found->second->session == conversation->session &&
                             found->second->token == token_in(text_of(*message));
        verdicts_.expect(Property::kTurns, its_own,
                         {fmt::format("message {} of the user is not that of its turn {}",
                                      message->number, turn),
                          conversation->session, turn});
      }
    }
  }

 private:
  void judge_reply(const TurnEnd& turn, const ConversationEnd& conversation) {
    const auto last =
        std::ranges::find(conversation.messages, turn.last_message, &StoredMessage::number);
    const bool there = last != conversation.messages.end() && role_of(*last) == "assistant" &&
                       last->turn == turn.call_id && text_of(*last) == turn.reply;
    expect(turn, there,
           fmt::format("message {} of its conversation is not its reply", turn.last_message));
    if (turn.step == "send")
      expect(turn, turn.reply == reply_to(turn.token), "its reply is another's: " + turn.reply);
  }

  void expect(const TurnEnd& turn, bool holds, const std::string& what) {
    verdicts_.expect(Property::kTurns, holds, {what, turn.session, turn.call_id});
  }

  Verdicts& verdicts_;
  std::map<std::string, const TurnEnd*> turns_;
  std::map<std::string, const ConversationEnd*> by_id_;
  std::map<std::string, std::vector<SaidAt>> said_;  ///< by turn
};

class HistoryCheck {
 public:
  HistoryCheck(const ConversationEnd& conversation, bool current, Verdicts& verdicts)
      : conversation_(conversation), current_(current), verdicts_(verdicts) {}

  void judge() {
    const auto& messages = conversation_.messages;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto& message = messages[i];
      expect(message.number == i + 1, i, fmt::format("it comes as message {}", i + 1));
      const auto* next = i + 1 < messages.size() ? &messages[i + 1] : nullptr;
      const auto role = role_of(message);
      if (role == "assistant") judge_calls(i, next);
      if (role == "results")
        expect(i > 0 && !calls_in(messages[i - 1].body).empty(), i,
               "results that no call precedes");
    }
    judge_shown();
  }

 private:
  /// Exactly its results follow. What a turn that failed has left open is closed by the next one,
  /// unless its conversation was left before.
  void judge_calls(std::size_t at, const StoredMessage* next) {
    const auto ids = calls_in(conversation_.messages[at].body);
    for (const auto& id : ids)
      expect(ids_.insert(id).second, at, fmt::format("the id {} of a call is used before", id));
    if (ids.empty()) return;
    if (next == nullptr) return expect(!current_, at, "no results follow its calls");
    const auto answered = answered_in(next->body);
    expect(answered == ids, at,
           fmt::format("calls {}, and the results that follow are of {}", fmt::join(ids, " "),
                       fmt::join(answered, " ")));
  }

  void judge_shown() {
    std::vector<MessageShown> own;
    for (const auto& message : conversation_.messages)
      own.push_back(message_shown(message.number, message.turn, message.body));
    for (const auto& shown : conversation_.shown)
      verdicts_.expect(Property::kAgreement, shown == own,
                       {fmt::format("a gateway shows {} messages of conversation {}, Postgres has "
                                    "{}, or they differ",
                                    shown.size(), conversation_.id, own.size()),
                        conversation_.session,
                        {}});
  }

  void expect(bool holds, std::size_t at, const std::string& what) {
    const auto& message = conversation_.messages[at];
    verdicts_.expect(Property::kHistory, holds,
                     {fmt::format("message {} of {} ({}): {}", message.number, conversation_.id,
                                  role_of(message), what),
                      conversation_.session, message.turn});
  }

  const ConversationEnd& conversation_;
  const bool current_;
  Verdicts& verdicts_;
  std::set<std::string> ids_;
};

/// Of a page, what a crash of Postgres may not take back: all up to the last message of the
/// assistant.
std::size_t lasting(const MessagePage& page) {
  const auto last = std::ranges::find(page.messages.rbegin(), page.messages.rend(), "assistant",
                                      &MessageShown::role);
  return static_cast<std::size_t>(page.messages.rend() - last);
}

void check_page(const MessagePage& page, const ConversationEnd* conversation, Verdicts& verdicts) {
  const auto wrong = [&](const std::string& what) {
    verdicts.violated(Property::kHistory,
                      {fmt::format("{} showed {}", page.gateway, what), page.session, {}});
  };
  verdicts.expect(
      Property::kPrivacy, page.owners.empty() || page.owners == page.user,
      {fmt::format("{} was shown a token of {}", page.user, page.owners), page.session, {}});
  verdicts.checked(Property::kHistory);
  for (std::size_t i = 1; i < page.messages.size(); ++i)
    if (page.messages[i].number != page.messages[i - 1].number + 1)
      return wrong(
          fmt::format("message {} after {}", page.messages[i].number, page.messages[i - 1].number));
  for (std::size_t i = 0; i < lasting(page); ++i) {
    const auto& shown = page.messages[i];
    if (conversation == nullptr || shown.number > conversation->messages.size())
      return wrong(fmt::format("message {} of {}, which is not there at the end", shown.number,
                               page.conversation));
    const auto& stored = conversation->messages[shown.number - 1];
    if (message_shown(stored.number, stored.turn, stored.body) != shown)
      return wrong(fmt::format("message {} of {}, which is another at the end", shown.number,
                               page.conversation));
  }
}

}  // namespace

bool is_current(const std::vector<ConversationEnd>& conversations, std::size_t at) {
  return at + 1 == conversations.size() ||
         conversations[at + 1].session != conversations[at].session;
}

std::string text_of(const StoredMessage& message) {
  auto text = text_at(message.body, "text");
  for (const auto& part : list_at(message.body, "parts")) text += text_at(part, "text");
  return text;
}

void check_turns(const Conversed& seen, Verdicts& verdicts) {
  TurnCheck check(seen, verdicts);
  for (const auto& turn : seen.turns) check.judge(turn);
  check.judge_messages();
  for (const auto& talk : seen.talks) {
    const auto turn = std::ranges::find(seen.turns, talk.last_turn, &TurnEnd::call_id);
    const auto came =
        turn == seen.turns.end() ? "was not taken" : "ended as " + turn->outcome + " " + turn->code;
    verdicts.expect(Property::kLastTurn, came == "ended as succeeded ",
                    {"the message after the storm " + came, talk.session, talk.last_turn});
  }
}

void check_histories(const Conversed& seen, Verdicts& verdicts) {
  std::map<std::string, const ConversationEnd*> by_id;
  std::map<std::string, std::string> sessions;  // of turns
  for (const auto& turn : seen.turns) sessions[turn.call_id] = turn.session;
  for (std::size_t i = 0; i < seen.conversations.size(); ++i) {
    const auto& conversation = seen.conversations[i];
    by_id[conversation.id] = &conversation;
    HistoryCheck(conversation, is_current(seen.conversations, i), verdicts).judge();
    for (const auto& message : conversation.messages) {
      const auto turn = sessions.find(message.turn);
      verdicts.expect(
          Property::kHistory, turn != sessions.end() && turn->second == conversation.session,
          {fmt::format("message {} is by a turn that its session does not have", message.number),
           conversation.session, message.turn});
    }
  }
  for (const auto& page : seen.pages) {
    const auto found = by_id.find(page.conversation);
    check_page(page, found == by_id.end() ? nullptr : found->second, verdicts);
  }
}

void check_taken_over(const std::vector<Broken>& turns, const std::vector<TurnEnd>& ends,
                      Verdicts& verdicts) {
  std::map<std::string, const TurnEnd*> by_id;
  for (const auto& turn : ends) by_id[turn.call_id] = &turn;
  for (const auto& turn : turns) {
    const auto found = by_id.find(turn.call_id);
    verdicts.expect(
        Property::kTakenOver,
        found != by_id.end() && !found->second->outcome.empty() &&
            found->second->outcome != "unknown",
        {"its process " + turn.worker + " did not end it, and no other did", {}, turn.call_id});
  }
}

void check_conversations(const Conversed& seen, Verdicts& verdicts) {
  check_turns(seen, verdicts);
  check_order(seen, verdicts);
  check_histories(seen, verdicts);
  check_turn_calls(seen, verdicts);
  check_told(seen, verdicts);
}

}  // namespace toolway::chaos
