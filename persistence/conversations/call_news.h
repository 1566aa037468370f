#pragma once

#include <string>

/// What conversations hear of calls, as SQL.
namespace toolway::persistence::conversations {

/// Of conversation $1: at most ConversationStore::kMaxUntold calls that outlived their turn's wait
/// (`call_id`, `progress`; `place` is empty), and at most kMaxHeard completions of its session
/// since it last learned of some, or since the place $`after`, unless that is NULL (`call_id`,
/// `place`, `of_turn`). `early`: whose call it was is not recorded yet; what follows it is read
/// later. `nth`: their order, that of the mailbox, in which the rows need not come.
std::string news_statement(int after);

/// In the UPDATE of a conversation: it has learned of all up to the place $`parameter`, unless that
/// is NULL.
std::string set_heard(int parameter);

}  // namespace toolway::persistence::conversations
