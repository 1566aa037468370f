// In which order a conversation has what was sent to it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "tests/chaos/check_conversations.h"

namespace toolway::chaos {
namespace {

constexpr std::int64_t kNever = INT64_MAX;

/// When a turn was sent first, and when its end was seen first.
struct Seen {
  std::int64_t sent_us = kNever;
  std::int64_t ended_us = kNever;
};

std::map<std::string, Seen> seen_of_turns(const Conversed& all) {
  std::map<std::string, Seen> turns;
  std::map<std::string, std::int64_t> sent;  // by token
  for (const auto& post : all.posts) {
    const auto [first, is_first] = sent.emplace(post.token, post.at_us);
    if (!is_first) first->second = std::min(first->second, post.at_us);
  }
  for (const auto& turn : all.turns)
    if (const auto found = sent.find(turn.token); found != sent.end())
      turns[turn.call_id].sent_us = found->second;
  for (const auto& look : all.looks) {
    const auto turn = turns.find(look.call_id);
    if (turn != turns.end() && !look.outcome.empty())
      turn->second.ended_us = std::min(turn->second.ended_us, look.at_us);
  }
  return turns;
}

/// Turns of a session as its conversations have them: one that began a conversation, and those of
/// the messages in it.
std::vector<std::string> turns_in_order(const Conversed& all, std::size_t first, std::size_t last) {
  std::map<std::string, std::string> beginners;  // by conversation
  for (const auto& turn : all.turns)
    if (turn.step == "new" && turn.outcome == "succeeded")
      beginners[turn.conversation] = turn.call_id;
  std::vector<std::string> turns;
  for (auto i = first; i < last; ++i) {
    const auto& conversation = all.conversations[i];
    if (const auto found = beginners.find(conversation.id); found != beginners.end())
      turns.push_back(found->second);
    for (const auto& message : conversation.messages)
      if (text_at(message.body, "role") == "user") turns.push_back(message.turn);
  }
  return turns;
}

}  // namespace

void check_order(const Conversed& seen, Verdicts& verdicts) {
  const auto turns = seen_of_turns(seen);
  for (std::size_t first = 0; first < seen.conversations.size();) {
    auto last = first + 1;
    while (!is_current(seen.conversations, last - 1)) ++last;
    const auto order = turns_in_order(seen, first, last);
    auto ended_us = kNever;  // the earliest end of those that come later
    for (const auto& turn : order | std::views::reverse) {
      const auto found = turns.find(turn);
      if (found == turns.end()) continue;
      verdicts.expect(Property::kTurns, found->second.sent_us <= ended_us,
                      {"it comes before a turn whose end was seen before it was sent",
                       seen.conversations[first].session, turn});
      ended_us = std::min(ended_us, found->second.ended_us);
    }
    first = last;
  }
}

}  // namespace toolway::chaos
