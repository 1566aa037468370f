#pragma once

#include <string>

/// What conversations hear of calls, as SQL.
namespace toolway::persistence::conversations {

/// Of conversation $1: at most $2 calls that outlived their turn's wait (`call_id`, `progress`;
/// `place` is empty), and after them at most $3 completions of its session since it last learned of
/// some, or since the place $4, in the order of the mailbox (`call_id`, `place`, `of_turn`).
/// `early`: whose call it was is not recorded yet; what follows it is read later.
std::string news_statement();

/// In the UPDATE of a conversation: it has learned of all up to the place $`parameter`, unless that
/// is NULL.
std::string set_heard(int parameter);

}  // namespace toolway::persistence::conversations
