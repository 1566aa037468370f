#pragma once

#include <string>
#include <string_view>

/// In which order turns have their conversation, as SQL: the order in which they were accepted,
/// which is that of their messages in stream CALLS (of two attempts the first counts). A turn that
/// has begun, or waits, keeps its place until its call's completion is recorded, also while the
/// process that had it was killed and its next attempt has not come; or until nothing was heard
/// from it for kPlaceHolds, since a call may be lost.
namespace toolway::persistence::conversations {

/// A writer renews every second; one that has not for so long is taken for dead.
inline constexpr std::string_view kLease = "interval '20 seconds'";
/// Of what need not survive a crash of Postgres by itself: leases and places in a queue expire, and
/// what is written later makes what was written before it safe. Spares the wait for the disk.
inline constexpr std::string_view kQuick = "set_config('synchronous_commit', 'off', true)";
/// Which conversation of session $1 is the current one.
inline constexpr std::string_view kCurrent =
    "(SELECT id FROM conversations WHERE session_key = $1::uuid ORDER BY number DESC LIMIT 1)";

/// That a turn has ended without a word, as a killed one does, only its completion says. A
/// statement that looks it up opens each day's part of `completions`, so most do not look for other
/// turns: what they find to be free, or first, is so in any case.
enum class Completions { kIgnored, kLookedUp };

/// Of a row `c` of conversations: no turn has it, or keeps it for its next attempt.
std::string is_free(Completions completions);
/// Of a row `w` of conversation_waiters: its turn waits.
std::string waits(Completions completions);

/// Turn $2, attempt $3, takes the current conversation of session $1: `id` and `head` of it, or no
/// row.
std::string take_statement(Completions completions);
/// Turns of session $1 that wait, other than $2.
std::string others_waiting_statement();
/// A place among those that wait, for turn $2 of session $1 and tenant $3, where $4 others do; no
/// row: there are too many.
std::string wait_statement();
/// Of turns $1 … $4 (sessions, turns, tenants, places): `busy` and `crowd` of each. Those that come
/// with it at once wait for each other in their order, too.
std::string arrival_statement(Completions completions);
/// Of turns $1, $2 (sessions, turns): `known`, whether it has a place, or has ended.
std::string known_statement();
/// What it takes to release a conversation, as assignments to a row of conversations.
inline constexpr std::string_view kReleased =
    "lease_turn = NULL, lease_until = NULL, last_turn = lease_turn, stop_asked = false";
/// Turn $2, attempt $3, of session $1 has ended.
std::string release_statement();
/// The conversation of session $1, other than $3, that has messages of turn $2.
std::string left_statement();
/// The same has stopped, and keeps its place.
std::string leave_statement();

}  // namespace toolway::persistence::conversations
