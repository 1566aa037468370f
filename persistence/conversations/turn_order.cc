#include "persistence/conversations/turn_order.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "persistence/conversations/conversation_store.h"

namespace toolway::persistence::conversations {
namespace {

/// The place of a turn that has none.
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

std::string place_holds() { return fmt::format("interval '{} seconds'", kPlaceHolds.count()); }

// What is looked up for each turn is an aggregate or a scalar here, and never EXISTS or a join, for
// which Postgres may read the whole table at once.

/// A look into an index for each turn.
std::string has_ended(std::string_view turn, Completions completions) {
  if (completions == Completions::kIgnored) return "false";
  return fmt::format("(SELECT e.call_id FROM completions e WHERE e.call_id = {}) IS NOT NULL",
                     turn);
}

}  // namespace

std::string is_free(Completions completions) {
  return fmt::format("(c.lease_turn IS NULL OR c.lease_until <= clock_timestamp() - {} OR {})",
                     place_holds(), has_ended("c.lease_turn", completions));
}

std::string waits(Completions completions) {
  return fmt::format("(w.until > clock_timestamp() AND NOT {})", has_ended("w.turn", completions));
}

std::string take_statement(Completions completions) {
  // Whether turn $2 itself has ended is looked up in any case: a process that slept comes with an
  // old message of it, and nothing else says so of a turn that was cancelled while it waited.
  const auto ended = has_ended("$2::uuid", Completions::kLookedUp);
  // Another attempt of the turn that has it comes before all that wait: it is the one that began.
  // One without a place comes after those that have one. Where a turn began is where it began
  // first: another message of it may come after messages of which nothing is known yet.
  return fmt::format(
      "WITH own AS (UPDATE conversations c SET lease_turn = $2::uuid, "
      "lease_attempt = $3::integer, stop_asked = false, "
      "begun_place = CASE WHEN c.lease_turn = $2::uuid THEN c.begun_place ELSE "
      "COALESCE((SELECT o.place FROM conversation_waiters o WHERE "
      "o.session_key = $1::uuid AND o.turn = $2::uuid AND o.place < {3}), c.begun_place) END, "
      "lease_until = clock_timestamp() + {0} WHERE c.id = {1} AND NOT ({6}) "
      "AND CASE WHEN c.lease_turn = $2::uuid THEN c.lease_attempt <= $3::integer ELSE {2} "
      "AND NOT EXISTS (SELECT FROM conversation_waiters w WHERE w.session_key = $1::uuid "
      "AND (w.place, w.turn) < (COALESCE((SELECT o.place FROM conversation_waiters o "
      "WHERE o.session_key = $1::uuid AND o.turn = $2::uuid), {3}), $2::uuid) "
      "AND {4}) END RETURNING c.id, c.head, c.options), "
      "waiter AS (DELETE FROM conversation_waiters WHERE session_key = $1::uuid "
      "AND turn = $2::uuid AND EXISTS (SELECT FROM own)) "
      "SELECT id::text AS id, head, options, {5} FROM own",
      kLease, kCurrent, is_free(completions), kLast, waits(completions), kQuick, ended);
}

std::string others_waiting_statement() {
  return fmt::format(
      "SELECT count(*) AS waiting FROM conversation_waiters w WHERE w.session_key = $1::uuid "
      "AND w.turn <> $2::uuid AND {}",
      waits(Completions::kLookedUp));
}

std::string wait_statement() {
  return fmt::format(
      "INSERT INTO conversation_waiters (session_key, turn, tenant_id, until) "
      "SELECT $1::uuid, $2::uuid, $3, clock_timestamp() + {0} "
      "WHERE $4::integer < {1} OR EXISTS (SELECT FROM conversation_waiters "
      "WHERE session_key = $1::uuid AND turn = $2::uuid) "
      "ON CONFLICT (session_key, turn) DO UPDATE "
      "SET until = clock_timestamp() + {0} RETURNING turn, {2}",
      place_holds(), kMaxWaitingTurns, kQuick);
}

std::string arrival_statement(Completions completions) {
  return fmt::format(
      "WITH asked AS MATERIALIZED (SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], "
      "$4::bigint[]) WITH ORDINALITY AS a (session_key, turn, tenant_id, place, nth)), "
      "waiting AS MATERIALIZED (SELECT w.session_key, w.turn, w.place FROM conversation_waiters w "
      "WHERE w.session_key = ANY ($1::uuid[]) AND {4}), "
      "seen AS MATERIALIZED (SELECT a.*, s.*, "
      "EXISTS (SELECT FROM (SELECT turn, place FROM waiting w "
      "WHERE w.session_key = a.session_key UNION ALL "
      "SELECT turn, place FROM asked b WHERE b.session_key = a.session_key) o "
      "WHERE o.turn <> a.turn AND (o.place, o.turn) < (LEAST(a.place, (SELECT w.place "
      "FROM waiting w WHERE w.session_key = a.session_key AND w.turn = a.turn)), a.turn)) "
      "AS has_earlier, "
      "(SELECT count(*) FROM waiting w WHERE w.session_key = a.session_key "
      "AND w.turn <> a.turn) AS others, "
      "(SELECT w.turn FROM conversation_waiters w WHERE w.session_key = a.session_key "
      "AND w.turn = a.turn) IS NOT NULL AS waits FROM asked a CROSS JOIN LATERAL ("
      "SELECT COALESCE(bool_or(c.lease_turn = a.turn), false) AS begun, "
      "COALESCE(bool_or(c.lease_turn <> a.turn AND NOT {3}), false) AS held, "
      "COALESCE((array_agg(c.begun_place ORDER BY c.number DESC))[1], 0) AS begun_place "
      "FROM conversations c WHERE c.session_key = a.session_key) s), "
      "judged AS MATERIALIZED (SELECT s.*, NOT s.waits AND s.others + (SELECT count(*) FROM seen b "
      "WHERE b.session_key = s.session_key AND (b.place, b.turn) < (s.place, s.turn) "
      "AND NOT b.waits) >= {1} AS crowd "
      "FROM seen s), "
      "placed AS (INSERT INTO conversation_waiters AS w (session_key, turn, tenant_id, until, place) "
      "SELECT DISTINCT ON (session_key, turn) session_key, turn, tenant_id, "
      "clock_timestamp() + {0}, place FROM judged WHERE NOT crowd ORDER BY session_key, turn, place "
      "ON CONFLICT (session_key, turn) DO UPDATE SET until = excluded.until, "
      "place = LEAST(w.place, excluded.place)) "
      "SELECT NOT begun AND (held OR has_earlier) AS busy, crowd, begun_place, {2} "
      "FROM judged ORDER BY nth",
      place_holds(), kMaxWaitingTurns, kQuick, is_free(completions), waits(completions));
}

std::string known_statement() {
  return fmt::format(
      "SELECT COALESCE((SELECT bool_or(c.lease_turn = a.turn OR c.last_turn = a.turn) "
      "FROM conversations c WHERE c.session_key = a.session_key), false) "
      "OR (SELECT w.turn FROM conversation_waiters w WHERE w.session_key = a.session_key "
      "AND w.turn = a.turn) IS NOT NULL OR {} AS known "
      "FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS a (session_key, turn, nth) "
      "ORDER BY nth",
      has_ended("a.turn", Completions::kLookedUp));
}

std::string release_statement() {
  return fmt::format(
      "WITH waiter AS (DELETE FROM conversation_waiters "
      "WHERE session_key = $1::uuid AND turn = $2::uuid) "
      "UPDATE conversations SET {} WHERE session_key = $1::uuid AND lease_turn = $2::uuid "
      "AND lease_attempt = $3::integer RETURNING {}",
      kReleased, kQuick);
}

std::string leave_statement() {
  return fmt::format(
      "UPDATE conversations SET lease_until = clock_timestamp() "
      "WHERE session_key = $1::uuid AND lease_turn = $2::uuid "
      "AND lease_attempt = $3::integer RETURNING {}",
      kQuick);
}

}  // namespace toolway::persistence::conversations
