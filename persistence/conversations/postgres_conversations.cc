#include "persistence/conversations/postgres_conversations.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include "base/ids.h"
#include "base/try.h"
#include "persistence/conversations/call_news.h"
#include "persistence/conversations/connection_pool.h"
#include "persistence/conversations/conversation_reads.h"
#include "persistence/conversations/turn_order.h"

namespace toolway::persistence::conversations {
namespace {

using postgres::PgConnection;
using postgres::SqlParameter;
using postgres::SqlRow;
using postgres::SqlRows;

/// As most messages have more, rows for bytes of this size each are looked at.
constexpr std::size_t kShortBody = 256;
constexpr std::size_t kMinReadMessages = 64;
constexpr int kWakedAtOnce = 100;
/// Of the advisory locks: "waker" in ASCII.
constexpr std::int64_t kWakerLock = 0x77616b6572;
Opened opened_of(const SqlRow& row) {
  return {.conversation = row.get<std::string>("id"),
          .head = static_cast<std::uint64_t>(row.get<std::int64_t>("head")),
          .options = row.get<std::string>("options")};
}

StoredMessage message_of(const SqlRow& row) {
  return {.number = static_cast<std::uint64_t>(row.get<std::int64_t>("number")),
          .turn = row.get<std::string>("turn"),
          .role = row.get<std::string>("role"),
          .body = row.get<std::string>("body")};
}

CallNews news_of(std::vector<const SqlRow*> rows) {
  std::ranges::sort(rows, {}, [](const SqlRow* row) { return row->get<std::int64_t>("nth"); });
  CallNews news;
  for (const SqlRow* row : rows) {
    auto call = row->get<std::string>("call_id");
    auto place = row->get<std::string>("place");
    if (place.empty())
      news.untold.push_back({std::move(call), row->get<std::string>("progress")});
    else if (row->get<bool>("early"))
      break;
    else
      news.ended.push_back({std::move(call), row->get<bool>("of_turn"), std::move(place)});
  }
  return news;
}

/// One array of what `member` is in each.
template <typename Element, typename Member>
SqlParameter array_of(const std::vector<Element>& elements, Member member) {
  std::vector<std::remove_cvref_t<std::invoke_result_t<Member, const Element&>>> all;
  all.reserve(elements.size());
  for (const auto& one : elements) all.push_back(std::invoke(member, one));
  return SqlParameter::array(all);
}
const std::string& key_of(const Arrival& arrival) { return arrival.owner.session_key; }
const std::string& tenant_of(const Arrival& arrival) { return arrival.owner.tenant_id; }

/// In a session's mailbox; NULL: none is meant.
SqlParameter place(const std::string& text) {
  return text.empty() ? SqlParameter(std::nullopt) : SqlParameter(text);
}

/// `notes`: whether there are any, $11 … $14; most messages have none.
std::string append_statement(const StoredMessage& message, bool notes) {
  constexpr std::string_view kNotes =
      ", detached AS (INSERT INTO conversation_calls (conversation, call_id, tenant_id) "
      "SELECT own.id, c, own.tenant_id FROM own, unnest($11::uuid[]) AS c "
      "ON CONFLICT DO NOTHING), "
      "told AS (UPDATE conversation_calls SET told_in = $4::bigint FROM own "
      "WHERE conversation = own.id AND call_id = ANY ($12::uuid[])), "
      "progress AS (UPDATE conversation_calls SET progress = p.event FROM own, "
      "unnest($13::uuid[], $14::text[]) AS p (call_id, event) "
      "WHERE conversation = own.id AND conversation_calls.call_id = p.call_id)";
  return fmt::format(
      "WITH own AS (UPDATE conversations SET head = $4::bigint, "
      "{}, wakes = COALESCE($8::boolean, wakes), on_behalf = COALESCE($9, on_behalf), "
      "options = COALESCE($10, options), "
      "auto_turns = CASE WHEN $9 IS NULL THEN auto_turns ELSE 0 END, {} WHERE id = $1::uuid "
      "AND lease_turn = $2::uuid AND lease_attempt = $3::integer "
      "AND head = $4::bigint - 1 RETURNING id, tenant_id){} "
      "INSERT INTO messages (conversation, number, tenant_id, turn, role, body) "
      "SELECT id, $4::bigint, tenant_id, $2::uuid, $5, $6 FROM own RETURNING number{}",
      set_heard(7),
      message.ends_turn ? std::string(kReleased)
                        : fmt::format("lease_until = clock_timestamp() + {}", kLease),
      notes ? kNotes : "", message.kept == Kept::kWithNext ? fmt::format(", {}", kQuick) : "");
}

class PostgresConversations final : public ConversationStore {
 public:
  explicit PostgresConversations(std::string url) : connections_(std::move(url)) {}

  Result<TakeResult> take(const Owner& owner, const Writer& writer) override {
    ASSIGN_OR_RETURN(auto taken, try_take(owner, writer, Completions::kIgnored));
    if (taken.empty()) {
      ASSIGN_OR_RETURN(const bool made, make_first(owner));
      const auto look = made ? Completions::kIgnored : Completions::kLookedUp;
      ASSIGN_OR_RETURN(taken, try_take(owner, writer, look));
    }
    if (!taken.empty()) return TakeResult{Taken::kTaken, opened_of(taken[0])};
    ASSIGN_OR_RETURN(const auto others, connections_.ask(others_waiting_statement(),
                                                         {owner.session_key, writer.turn}));
    ASSIGN_OR_RETURN(
        const auto waits,
        connections_.ask(wait_statement(), {owner.session_key, writer.turn, owner.tenant_id,
                                            others[0].get<std::int64_t>("waiting")}));
    return TakeResult{waits.empty() ? Taken::kCrowd : Taken::kBusy, {}};
  }

  Result<std::vector<Arrived>> arrive(const std::vector<Arrival>& arrivals) override {
    ASSIGN_OR_RETURN(auto found, try_arrive(arrivals, Completions::kIgnored));
    if (std::ranges::all_of(found, [](const Arrived& one) { return one.taken == Taken::kTaken; }))
      return found;
    return try_arrive(arrivals, Completions::kLookedUp);
  }

  Result<std::vector<bool>> are_known(const std::vector<Arrival>& turns) override {
    ASSIGN_OR_RETURN(const auto rows,
                     connections_.ask(known_statement(),
                                      {array_of(turns, key_of), array_of(turns, &Arrival::turn)}));
    std::vector<bool> known;
    for (const auto& row : rows) known.push_back(row.get<bool>("known"));
    return known;
  }

  Result<void> ask_to_stop(const Owner& owner) override {
    RETURN_IF_ERROR(
        connections_.ask(fmt::format("UPDATE conversations SET stop_asked = true WHERE id = {} "
                                     "AND lease_turn IS NOT NULL",
                                     kCurrent),
                         {owner.session_key}));
    return {};
  }

  Result<Opened> start_new(const Owner& owner, const Writer& writer,
                           const std::string& options) override {
    const auto id = SessionKey::make().text();
    ASSIGN_OR_RETURN(
        const auto rows,
        connections_.ask(
            fmt::format("WITH old AS (UPDATE conversations SET lease_turn = NULL, "
                        "lease_until = NULL WHERE id = {} AND lease_turn = $2::uuid "
                        "AND lease_attempt = $3::integer RETURNING id, number, begun_place), "
                        "untold AS (UPDATE conversation_calls d SET told_in = 0 FROM old "
                        "WHERE d.conversation = old.id AND d.told_in IS NULL) "
                        "INSERT INTO conversations (id, tenant_id, session_key, number, "
                        "lease_turn, lease_attempt, begun_place, options, lease_until) "
                        "SELECT $4::uuid, $5, $1::uuid, number + 1, $2::uuid, $3::integer, "
                        "begun_place, $6, clock_timestamp() + {} FROM old "
                        "RETURNING id::text, head, options",
                        kCurrent, kLease),
            {owner.session_key, writer.turn, writer.attempt, id, owner.tenant_id, options}));
    if (rows.empty()) return lost();
    return opened_of(rows[0]);
  }

  Result<std::optional<Opened>> left_by(const Owner& owner, const std::string& turn,
                                        const std::string& current) override {
    ASSIGN_OR_RETURN(const auto rows,
                     connections_.ask(left_statement(), {owner.session_key, turn, current}));
    return rows.empty() ? std::nullopt : std::optional<Opened>(opened_of(rows[0]));
  }

  Result<Renewed> renew(const std::vector<Lease>& leases) override {
    ASSIGN_OR_RETURN(
        const auto rows,
        connections_.ask(
            fmt::format("UPDATE conversations c SET lease_until = clock_timestamp() + {} "
                        "FROM unnest($1::uuid[], $2::uuid[], $3::integer[]) "
                        "AS w (session_key, turn, attempt) WHERE c.session_key = w.session_key "
                        "AND c.lease_turn = w.turn AND c.lease_attempt = w.attempt "
                        "RETURNING w.turn::text AS turn, w.attempt, c.stop_asked, {}",
                        kLease, kQuick),
            {array_of(leases, [](const Lease& it) { return it.owner.session_key; }),
             array_of(leases, [](const Lease& it) { return it.writer.turn; }),
             array_of(leases, [](const Lease& it) { return it.writer.attempt; })}));
    Renewed renewed;
    for (const auto& lease : leases) renewed.stop.push_back(lease.writer);
    for (const auto& row : rows) {
      const Writer writer{row.get<std::string>("turn"),
                          static_cast<unsigned>(row.get<std::int64_t>("attempt"))};
      if (!row.get<bool>("stop_asked")) std::erase(renewed.stop, writer);
    }
    return renewed;
  }

  Result<void> release(const Owner& owner, const Writer& writer) override {
    RETURN_IF_ERROR(
        connections_.ask(release_statement(), {owner.session_key, writer.turn, writer.attempt}));
    return {};
  }

  Result<void> leave(const Owner& owner, const Writer& writer) override {
    RETURN_IF_ERROR(
        connections_.ask(leave_statement(), {owner.session_key, writer.turn, writer.attempt}));
    return {};
  }

  Result<void> append(const std::string& conversation, const Writer& writer,
                      const StoredMessage& message, const CallNotes& notes) override {
    std::vector<SqlParameter> parameters{
        conversation, writer.turn,        writer.attempt, message.number, message.role,
        message.body, place(notes.heard), std::nullopt,   std::nullopt,   std::nullopt};
    if (notes.begun) {
      parameters[7] = notes.begun->wakes ? "true" : "false";
      parameters[8] = notes.begun->on_behalf;
      parameters[9] = notes.begun->options;
    }
    if (!notes.empty()) {
      parameters.push_back(SqlParameter::array(notes.detached));
      parameters.push_back(SqlParameter::array(notes.told));
      parameters.push_back(array_of(notes.progress, &CallNotes::Progress::call));
      parameters.push_back(array_of(notes.progress, &CallNotes::Progress::event));
    }
    ASSIGN_OR_RETURN(const auto rows,
                     connections_.ask(append_statement(message, !notes.empty()), parameters));
    if (rows.empty()) return lost();
    return {};
  }

  Result<std::vector<StoredMessage>> last_before(const std::string& conversation,
                                                 std::uint64_t before, std::size_t bytes) override {
    ASSIGN_OR_RETURN(
        const auto rows,
        connections_.ask(last_before_statement(), {conversation, before, bytes, rows_for(bytes)}));
    std::vector<StoredMessage> found;
    for (const auto& row : rows) found.push_back(message_of(row));
    std::ranges::reverse(found);
    return found;
  }

  Result<CallNews> news(const std::string& conversation, const std::string& after) override {
    ASSIGN_OR_RETURN(const auto rows,
                     connections_.ask(news_statement(2), {conversation, place(after)}));
    std::vector<const SqlRow*> found;
    for (const auto& row : rows) found.push_back(&row);
    return news_of(std::move(found));
  }

  Result<Reading> read(const std::string& conversation, std::uint64_t before,
                       std::size_t bytes) override {
    ASSIGN_OR_RETURN(const auto rows,
                     connections_.ask(reading_statement(), {conversation, before, bytes,
                                                            rows_for(bytes), std::nullopt}));
    Reading reading;
    std::vector<const SqlRow*> news;
    for (const auto& row : rows) {
      if (row.nullable<std::string>("call_id"))
        news.push_back(&row);
      else
        reading.messages.push_back(message_of(row));
    }
    std::ranges::sort(reading.messages, {}, &StoredMessage::number);
    reading.news = news_of(std::move(news));
    return reading;
  }

  Result<bool> count_auto_turn(const std::string& conversation) override {
    ASSIGN_OR_RETURN(const auto rows,
                     connections_.ask(fmt::format("UPDATE conversations SET auto_turns = "
                                                  "auto_turns + 1 WHERE id = $1::uuid "
                                                  "AND auto_turns < {} RETURNING id",
                                                  kMaxAutoTurns),
                                      {conversation}));
    return !rows.empty();
  }

  Result<std::vector<Wakeable>> wakeable(double settled_s,
                                         const std::vector<std::string>& besides) override {
    ASSIGN_OR_RETURN(const bool elected, is_elected());
    std::vector<Wakeable> found;
    if (!elected) return found;
    ASSIGN_OR_RETURN(
        const auto rows,
        ask_elected(
            fmt::format(
                "WITH untold AS MATERIALIZED (SELECT DISTINCT d.conversation FROM "
                "conversation_calls d JOIN completions f ON f.call_id = d.call_id "
                "WHERE d.told_in IS NULL "
                "AND f.completed_at < clock_timestamp() - $1::float8 * interval '1 second') "
                "SELECT c.id::text AS id, s.session_id, c.on_behalf FROM untold u "
                "JOIN conversations c ON c.id = u.conversation "
                "JOIN sessions s ON s.session_key = c.session_key AND s.state = 'open' "
                "WHERE c.wakes AND {2} AND c.auto_turns < {0} AND c.id <> ALL ($2::uuid[]) "
                "AND NOT EXISTS (SELECT FROM conversations n "
                "WHERE n.session_key = c.session_key AND n.number > c.number) "
                "AND NOT EXISTS (SELECT FROM conversation_waiters w "
                "WHERE w.session_key = c.session_key AND {3}) "
                "LIMIT {1}",
                kMaxAutoTurns, kWakedAtOnce, is_free(Completions::kLookedUp),
                waits(Completions::kLookedUp)),
            {fmt::format("{}", settled_s), SqlParameter::array(besides)}));
    for (const auto& row : rows)
      found.push_back({row.get<std::string>("id"), row.get<std::string>("session_id"),
                       row.get<std::string>("on_behalf")});
    return found;
  }

  Result<void> stop_waking(const std::string& conversation) override {
    RETURN_IF_ERROR(connections_.ask("UPDATE conversations SET wakes = false WHERE id = $1::uuid",
                                     {conversation}));
    return {};
  }

 private:
  static tl::unexpected<Error> lost() {
    return fail(ErrorCode::kWrongLastSequence, "another attempt has the conversation by now");
  }

  /// False: there is one.
  Result<bool> make_first(const Owner& owner) {
    ASSIGN_OR_RETURN(
        const auto rows,
        connections_.ask("INSERT INTO conversations (id, tenant_id, session_key, number) "
                         "SELECT $2::uuid, $3, $1::uuid, 1 WHERE NOT EXISTS "
                         "(SELECT FROM conversations WHERE session_key = $1::uuid) "
                         "ON CONFLICT DO NOTHING RETURNING id",
                         {owner.session_key, SessionKey::make().text(), owner.tenant_id}));
    return !rows.empty();
  }

  Result<SqlRows> try_take(const Owner& owner, const Writer& writer, Completions completions) {
    return connections_.ask(take_statement(completions),
                            {owner.session_key, writer.turn, writer.attempt});
  }

  Result<std::vector<Arrived>> try_arrive(const std::vector<Arrival>& arrivals,
                                          Completions completions) {
    ASSIGN_OR_RETURN(
        const auto rows,
        connections_.ask(arrival_statement(completions),
                         {array_of(arrivals, key_of), array_of(arrivals, &Arrival::turn),
                          array_of(arrivals, tenant_of), array_of(arrivals, &Arrival::place)}));
    std::vector<Arrived> found;
    for (const auto& row : rows) {
      const auto waits = row.get<bool>("crowd") ? Taken::kCrowd : Taken::kBusy;
      found.push_back(
          {.taken = row.get<bool>("busy") ? waits : Taken::kTaken,
           .begun_place = static_cast<std::uint64_t>(row.get<std::int64_t>("begun_place"))});
    }
    return found;
  }

  /// The lock belongs to a connection, and goes with it.
  Result<bool> is_elected() {
    ASSIGN_OR_RETURN(const auto rows,
                     ask_elected(elected_ ? "SELECT true AS elected"
                                          : fmt::format("SELECT pg_try_advisory_lock({}) "
                                                        "AS elected",
                                                        kWakerLock)));
    elected_ = rows.at(0).get<bool>("elected");
    return elected_;
  }

  Result<SqlRows> ask_elected(const std::string& sql,
                              const std::vector<SqlParameter>& parameters = {}) {
    if (!waker_) {
      elected_ = false;
      ASSIGN_OR_RETURN(waker_, connections_.open_another());
    }
    auto rows = waker_->execute(sql, parameters, postgres::Planning::kOnce);
    if (rows) return std::move(*rows);
    waker_.reset();
    return fail(postgres::error_of(rows.error(), "looking for calls that have ended"));
  }

  ConnectionPool connections_;
  // Of the one thread that asks for `wakeable`.
  std::unique_ptr<PgConnection> waker_;
  bool elected_ = false;
};

}  // namespace

std::size_t rows_for(std::size_t bytes) {
  return std::clamp(bytes / kShortBody, kMinReadMessages, ConversationStore::kMaxReadMessages);
}

std::unique_ptr<ConversationStore> make_postgres_conversations(std::string url) {
  return std::make_unique<PostgresConversations>(std::move(url));
}

}  // namespace toolway::persistence::conversations
