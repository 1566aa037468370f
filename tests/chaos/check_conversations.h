#pragma once

#include <vector>

#include "tests/chaos/checker.h"
#include "tests/chaos/final_state.h"
#include "tests/chaos/history.h"
#include "tests/chaos/verdicts.h"

/// Judges conversations, and the turns and calls that they are made of. Pure, as checker.h is.
namespace toolway::chaos {

/// All that is known of them when all is quiet.
struct Conversed {
  const std::vector<ConversationEnd>& conversations;  ///< of a session in their order
  const std::vector<TurnEnd>& turns;
  const std::vector<CallRow>& calls;  ///< of all sessions
  const std::vector<Post>& posts;
  const std::vector<Look>& looks;
  const std::vector<MessagePage>& pages;
  const std::vector<Talk>& talks;
};
void check_conversations(const Conversed& seen, Verdicts& verdicts);

/// The parts of the above. A turn that succeeded has its message and its reply in its conversation;
/// no message of the user is there twice, or by another's turn. The turns that were begun after the
/// storm have succeeded.
void check_turns(const Conversed& seen, Verdicts& verdicts);
/// What was sent after the end of a turn was seen comes after it.
void check_order(const Conversed& seen, Verdicts& verdicts);
/// Each history is one that every provider takes, all gateways show it, and what was shown of it
/// has stayed.
void check_histories(const Conversed& seen, Verdicts& verdicts);
/// The calls of turns are those that the model asked for, each once, and the model read how they
/// ended.
void check_turn_calls(const Conversed& seen, Verdicts& verdicts);
/// The end of a call that outlived its turn's wait, or that no model made, is told once.
void check_told(const Conversed& seen, Verdicts& verdicts);

/// Turns whose process ended, or was replaced, have ended otherwise.
void check_taken_over(const std::vector<Broken>& turns, const std::vector<TurnEnd>& ends,
                      Verdicts& verdicts);

/// Whether it is its session's last conversation, which its next message continues.
bool is_current(const std::vector<ConversationEnd>& conversations, std::size_t at);
/// The text of a message of any role: of the assistant all that it says.
std::string text_of(const StoredMessage& message);

}  // namespace toolway::chaos
