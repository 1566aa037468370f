#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "persistence/conversations/conversation_store.h"
#include "persistence/conversations/turn_order.h"
#include "persistence/postgres/sql_parameter.h"
#include "persistence/postgres/sql_row.h"

/// What gateways read of conversations. Pure.
namespace toolway::persistence::conversations {

/// A conversation as readers see it.
struct ConversationHead {
  std::string id;
  std::uint64_t head = 0;  ///< the number of its last message
  std::string turn{};      ///< the call that writes now; empty: none does
  int waiting = 0;         ///< turns of its session that wait for their conversation
};

struct ReadStatement {
  std::string sql;
  std::vector<postgres::SqlParameter> parameters;
};

/// Of a session: the one with this id, or, when it is empty, the current one.
ReadStatement head_statement(const std::string& session_key, const std::string& id,
                             Completions completions);
std::optional<ConversationHead> head_of(const postgres::SqlRows& rows);

/// The last messages of conversation $1 before number $2, newest first: those that have $3 bytes
/// together, of at most $4, and one in any case.
std::string last_before_statement();
/// The same, and the rows of `news_statement` after the place $5, in any order: what one of the two
/// has is NULL in the other's rows.
std::string reading_statement();

/// Messages after `after`, in order: a page bounded by rows and bytes.
struct MessagePage {
  std::vector<StoredMessage> messages;
  bool more = false;
};
ReadStatement messages_statement(const std::string& conversation, std::uint64_t after,
                                 std::size_t limit);
MessagePage messages_of(const postgres::SqlRows& rows, std::size_t limit);

}  // namespace toolway::persistence::conversations
