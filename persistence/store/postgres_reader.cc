#include "persistence/store/postgres_reader.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "persistence/postgres/reader_pool.h"
#include "persistence/schema/migrations.h"
#include "persistence/store/call_search.h"
#include "persistence/store/held_query.h"
#include "persistence/store/last_event.h"
#include "persistence/store/mailbox_query.h"
#include "persistence/store/page_query.h"
#include "persistence/store/recorded_rows.h"
#include "proto/codec.h"

namespace toolway::persistence::store {
namespace {

constexpr std::chrono::milliseconds kPingTimeout{1500};  ///< two queries; 500 ms are added

/// What joins a call with its completion, and how its last attempt went. The LIMIT has Postgres
/// look up the completion of each call: as a plain join it may read the completions of all sessions
/// and ask of each whether its call is one of these.
constexpr std::string_view kStateJoins =
    " FROM calls c LEFT JOIN LATERAL (SELECT * FROM completions f "
    "WHERE f.call_id = c.call_id LIMIT 1) f ON true "
    "LEFT JOIN LATERAL (SELECT e.type, e.event FROM call_events e "
    "WHERE e.call_id = c.call_id AND e.type IN ('started', 'retry_at') "
    "ORDER BY e.incarnation DESC, e.sequence DESC LIMIT 1) s ON true ";
/// The calls of a deleted session are there until the reaper purges them, and those that ended
/// later until it does so again.
constexpr std::string_view kNotDeleted =
    "NOT EXISTS (SELECT FROM sessions d WHERE d.session_key = c.session_key "
    "AND d.state = 'deleted') ";

std::string_view state_condition(CallState state) {
  switch (state) {
    case CallState::kAny: return "";
    case CallState::kQueued:
      return "AND f.call_id IS NULL AND s.type IS DISTINCT FROM 'started' AND NOT c.held ";
    case CallState::kHeld: return "AND f.call_id IS NULL AND s.type IS NULL AND c.held ";
    case CallState::kRunning: return "AND f.call_id IS NULL AND s.type = 'started' ";
    case CallState::kCompleted: return "AND f.call_id IS NOT NULL ";
  }
  return "";
}

/// queued, running, held, completed and unread of the session whose key `key` is, and whose
/// mailbox is read up to `read`. A RetryAt is the last event of its attempt.
std::string counts_query(std::string_view key, std::string_view read) {
  return fmt::format(
      "SELECT count(*) FILTER (WHERE f.call_id IS NULL AND r.call_id IS NULL AND NOT c.held) "
      "AS queued, count(*) FILTER (WHERE f.call_id IS NULL AND r.call_id IS NULL AND c.held) AS held, "
      "count(*) FILTER (WHERE f.call_id IS NULL AND r.call_id IS NOT NULL) AS running, "
      "count(f.call_id) AS completed, "
      "count(f.call_id) FILTER (WHERE (f.xid, f.number) > ({1})) AS unread "
      "FROM (SELECT call_id, held FROM calls WHERE session_key = {0}) c "
      "LEFT JOIN (SELECT call_id, xid, number FROM completions WHERE session_key = {0}) f "
      "USING (call_id) "
      "LEFT JOIN (SELECT call_id FROM call_events "
      "WHERE session_key = {0} AND type IN ('started', 'retry_at') GROUP BY call_id "
      "HAVING max(attempt) FILTER (WHERE type = 'started') > "
      "coalesce(max(attempt) FILTER (WHERE type = 'retry_at'), 0)) r USING (call_id)",
      key, read);
}

CallCounts counts_of(const postgres::SqlRow& row) {
  const auto count = [&row](const char* name) {
    return static_cast<std::uint64_t>(row.get<std::int64_t>(name));
  };
  CallCounts counts;
  counts.queued = count("queued");
  counts.running = count("running");
  counts.held = count("held");
  counts.completed = count("completed");
  counts.unread = count("unread");
  return counts;
}

/// Both tables hold events; each gives its first ones by its index, in order.
std::string events_query(std::string_view condition, std::size_t max_bytes) {
  const std::string rows = fmt::format(
      "(SELECT incarnation, sequence, event, NULL::json AS result, octet_length(event) * 2 + 256 AS bytes "
      "FROM call_events WHERE {0} AND (incarnation, sequence) > ($2::bigint, $3::bigint) "
      "ORDER BY incarnation, sequence LIMIT $4::bigint) UNION ALL "
      "(SELECT incarnation, sequence, event, result, "
      "octet_length(event) * 2 + coalesce(octet_length(result::text), 0) + 256 "
      "FROM completions WHERE {0} AND (incarnation, sequence) > ($2::bigint, $3::bigint) "
      "ORDER BY incarnation, sequence LIMIT $4::bigint) "
      "ORDER BY 1, 2 LIMIT $4::bigint",
      condition);
  return bounded_page("incarnation, sequence, event, result", rows, "incarnation, sequence",
                      max_bytes);
}

template <typename T, typename Convert>
Result<std::vector<T>> convert_all(const Result<postgres::SqlRows>& rows, Convert convert) {
  RETURN_IF_ERROR(rows);
  std::vector<T> converted;
  converted.reserve(rows->size());
  for (const auto& row : *rows) {
    ASSIGN_OR_RETURN(T value, convert(row));
    converted.push_back(std::move(value));
  }
  return converted;
}

Result<RecordedSession> recorded_session(const postgres::SqlRow& row) {
  ASSIGN_OR_RETURN(auto record, proto::decode_session(row.get<std::string>("record")));
  return RecordedSession{std::move(record), counts_of(row)};
}

class PostgresReader final : public StoreReader {
 public:
  explicit PostgresReader(PostgresReaderOptions options)
      : pool_(options.url, options.connections, options.statement_timeout),
        ping_pool_(options.url, 1, kPingTimeout) {}

  Result<std::optional<RecordedCall>> call(const CallId& call) override {
    ASSIGN_OR_RETURN(auto rows,
                     pool_.query(fmt::format("SELECT {}{}{}WHERE c.call_id = $1::uuid AND {}",
                                             kCallColumns, kStateJoins, kCommitJoin, kNotDeleted),
                                 {call.text()}));
    if (rows.empty()) return std::optional<RecordedCall>();
    return recorded_call(rows.front());
  }

  Result<Page<RecordedCall>> calls_of_session(const SessionKey& session, CallState state,
                                              const std::optional<CallId>& before,
                                              PageLimit limit) override {
    const auto fetch = [&](const RecordedCall* last, std::size_t rows, std::size_t bytes) {
      std::vector<postgres::SqlParameter> parameters{session.text(), rows};
      if (last != nullptr) {
        parameters.push_back(last->call_id);
      } else if (before) {
        parameters.push_back(before->text());
      }
      const auto found = fmt::format(
          "SELECT {}{}{}WHERE c.session_key = $1::uuid {}{}ORDER BY c.call_id DESC LIMIT $2::bigint",
          kCallPageRows, kStateJoins, kCommitJoin, state_condition(state),
          parameters.size() > 2 ? "AND c.call_id < $3::uuid " : "");
      return pool_.query(bounded_page(kCallPageColumns, found, "call_id DESC", bytes), parameters);
    };
    return read_page<RecordedCall>(limit, fetch, recorded_call);
  }

  Result<Page<RecordedCall>> calls_of_user(const CallFilter& filter,
                                           const std::optional<CallId>& before,
                                           PageLimit limit) override {
    const auto search = search_statement(filter, before, limit.rows + 1);
    ASSIGN_OR_RETURN(auto looked_at, pool_.query(search.sql, search.parameters));
    std::vector<std::string> ids;
    for (const auto& row : looked_at)
      if (row.get<bool>("fits")) ids.push_back(row.get<std::string>("call_id"));
    const bool others = ids.size() > limit.rows;
    if (others) ids.resize(limit.rows);
    ASSIGN_OR_RETURN(auto page, calls_named(ids, limit.bytes));
    if (page.more) return page;
    if (others) {
      page.more = true;
      if (page.empty() || page.back().call_id != ids.back()) page.looked_to = ids.back();
    } else if (!looked_at.empty() && looked_at.back().get<bool>("last_look")) {
      page.more = true;
      page.looked_to = looked_at.back().get<std::string>("call_id");
    }
    return page;
  }

  Result<Page<MailboxEntry>> mailbox(const SessionKey& session, MailboxCursor after,
                                     PageLimit limit, Parents parents) override {
    const auto fetch = [&](const MailboxEntry* last, std::size_t rows, std::size_t bytes) {
      const MailboxCursor from = last != nullptr ? last->cursor : after;
      return pool_.query(
          bounded_page(kMailboxPageColumns, mailbox_rows(parents), "xid, number", bytes),
          {session.text(), from.xid, from.number, rows});
    };
    ASSIGN_OR_RETURN(auto page, read_page<MailboxEntry>(limit, fetch, mailbox_entry));
    end_before_early(page, parents);
    return page;
  }

  Result<std::vector<ManifestCall>> manifest(const SessionKey& session,
                                             const std::optional<CallId>& after,
                                             std::size_t limit) override {
    std::vector<postgres::SqlParameter> parameters{session.text(), limit};
    std::string_view later;
    if (after) {
      parameters.push_back(after->text());
      later = "AND c.call_id > $3::uuid ";
    }
    return convert_all<ManifestCall>(
        pool_.query(fmt::format("SELECT {}{}WHERE c.session_key = $1::uuid {}"
                                "ORDER BY c.call_id LIMIT $2::bigint",
                                kManifestColumns, kStateJoins, later),
                    parameters),
        manifest_call);
  }

  Result<CallCounts> counts(const SessionKey& session, MailboxCursor read) override {
    ASSIGN_OR_RETURN(auto rows, pool_.query(counts_query("$1::uuid", "$2::xid8, $3::bigint"),
                                            {session.text(), read.xid, read.number}));
    return counts_of(rows.at(0));
  }

  Result<Page<RecordedSession>> sessions_of_user(std::string_view tenant, std::string_view user,
                                                 std::optional<WallTime> before,
                                                 PageLimit limit) override {
    // Records are small: one step takes all.
    const auto fetch = [&](const RecordedSession*, std::size_t rows, std::size_t bytes) {
      std::vector<postgres::SqlParameter> parameters{
          std::string(tenant.empty() ? "default" : tenant), user, rows};
      std::string_view earlier;
      if (before) {
        parameters.push_back(to_unix_us(*before));
        earlier = "AND created_at < 'epoch'::timestamptz + $4::bigint * interval '1 microsecond' ";
      }
      const auto found = fmt::format(
          "SELECT s.record, s.created_at, s.session_key, n.queued, n.running, n.held, n.completed, n.unread, "
          "octet_length(s.record) * 2 + 512 AS bytes FROM "
          "(SELECT * FROM sessions WHERE tenant_id = $1 AND user_id = $2 AND state <> 'deleted' {}"
          "ORDER BY created_at DESC, session_key LIMIT $3::bigint) s CROSS JOIN LATERAL ({}) n",
          earlier, counts_query("s.session_key", "s.read_xid, s.read_number"));
      return pool_.query(bounded_page("record, queued, running, held, completed, unread", found,
                                      "created_at DESC, session_key", bytes),
                         parameters);
    };
    return read_page<RecordedSession>(limit, fetch, recorded_session, limit.rows + 1);
  }

  Result<std::optional<v1::SessionRecord>> session(std::string_view tenant, std::string_view user,
                                                   std::string_view session_id) override {
    ASSIGN_OR_RETURN(
        auto rows,
        pool_.query(
            "SELECT record FROM sessions WHERE tenant_id = $1 AND user_id = $2 AND session_id = $3 "
            "ORDER BY incarnation DESC, revision DESC LIMIT 1",
            {std::string(tenant.empty() ? "default" : tenant), user, session_id}));
    if (rows.empty()) return std::optional<v1::SessionRecord>();
    ASSIGN_OR_RETURN(auto record, proto::decode_session(rows.front().get<std::string>("record")));
    return std::optional(std::move(record));
  }

  Result<Page<RecordedEvent>> events_of_session(const SessionKey& session, EventPosition after,
                                                PageLimit limit) override {
    return events("session_key = $1::uuid", session.text(), after, limit);
  }

  Result<Page<RecordedEvent>> events_of_call(const CallId& call, EventPosition after,
                                             PageLimit limit) override {
    return events("call_id = $1::uuid", call.text(), after, limit);
  }

  Result<std::vector<BlobPiece>> blob_chunks(const CallId& call, unsigned attempt, unsigned first,
                                             unsigned count) override {
    return convert_all<BlobPiece>(
        pool_.query("SELECT number, data FROM blobs WHERE call_id = $1::uuid "
                    "AND attempt = $2::integer AND number >= $3::integer "
                    "ORDER BY number LIMIT $4::bigint",
                    {call.text(), attempt, first, count}),
        blob_piece);
  }

  Result<std::uint64_t> blob_chunks_recorded(const CallId& call, unsigned attempt) override {
    ASSIGN_OR_RETURN(
        auto rows,
        pool_.query("SELECT count(*) FROM blobs WHERE call_id = $1::uuid AND attempt = $2::integer",
                    {call.text(), attempt}));
    return static_cast<std::uint64_t>(rows.at(0).get<std::int64_t>("count"));
  }

  Result<std::optional<AcceptedCall>> accepted(const CallId& call) override {
    ASSIGN_OR_RETURN(
        auto rows,
        pool_.query("SELECT request, incarnation, sequence FROM calls WHERE call_id = $1::uuid",
                    {call.text()}));
    if (rows.empty()) return std::optional<AcceptedCall>();
    ASSIGN_OR_RETURN(auto request, proto::decode_call(rows.front().get<std::string>("request")));
    return std::optional(AcceptedCall{std::move(request), position_of(rows.front())});
  }

  Result<std::optional<CallAndLog>> call_and_log(const CallId& call) override {
    ASSIGN_OR_RETURN(
        auto rows, pool_.query(fmt::format("SELECT c.request, c.arguments::text AS arguments, {} "
                                           "FROM calls c {} WHERE c.call_id = $1::uuid AND {}",
                                           kLastEventColumns,
                                           fmt::format(kLastEventJoins, "c.call_id"), kNotDeleted),
                               {call.text()}));
    if (rows.empty()) return std::optional<CallAndLog>();
    return store::call_and_log(rows.front());
  }

  Result<Page<HeldCall>> held_calls(const ApprovalFilter& filter,
                                    const std::optional<CallId>& after, PageLimit limit) override {
    const auto fetch = [&](const HeldCall* last, std::size_t rows, std::size_t bytes) {
      std::optional<std::string> from;
      if (after) from = after->text();
      if (last != nullptr) from = last->call.request.call_id();
      const auto page = held_page(filter, from, rows, bytes);
      return pool_.query(page.sql, page.parameters);
    };
    return read_page<HeldCall>(limit, fetch, held_call);
  }

  Result<audit::RecordPage> audit(const audit::RecordFilter& filter, audit::RecordPlace after,
                                  std::size_t limit) override {
    ASSIGN_OR_RETURN(const auto rows, ask(audit::page_statement(filter, after, limit)));
    return audit::record_page(rows, after, limit);
  }

  Result<std::optional<conversations::ConversationHead>> conversation(
      const SessionKey& session, const std::string& id) override {
    using conversations::Completions;
    ASSIGN_OR_RETURN(auto head, head_of(session, id, Completions::kIgnored));
    // Some that wait, as far as they have said, may have ended.
    if (!head || head->waiting == 0) return head;
    return head_of(session, id, Completions::kLookedUp);
  }

  Result<conversations::MessagePage> messages(const std::string& conversation, std::uint64_t after,
                                              std::size_t limit) override {
    ASSIGN_OR_RETURN(const auto rows,
                     ask(conversations::messages_statement(conversation, after, limit),
                         postgres::Planning::kOnce));
    return conversations::messages_of(rows, limit);
  }

  Result<void> ping() override {
    auto rows = ping_pool_.query("SELECT to_regclass('schema_migrations') IS NOT NULL AS there");
    RETURN_IF_ERROR(rows);
    if (rows->at(0).get<bool>("there")) {
      rows = ping_pool_.query("SELECT coalesce(max(version), 0) AS version FROM schema_migrations");
      RETURN_IF_ERROR(rows);
      if (std::cmp_greater_equal(rows->at(0).get<std::int64_t>("version"),
                                 schema::embedded_migrations().size()))
        return {};
    }
    return fail(ErrorCode::kInternal, "the database is not migrated: run `toolway migrate`");
  }

  void give_up() override {
    pool_.give_up();
    ping_pool_.give_up();
  }

 private:
  template <typename Statement>
  Result<postgres::SqlRows> ask(const Statement& statement,
                                postgres::Planning planning = postgres::Planning::kEachTime) {
    return pool_.query(statement.sql, statement.parameters, planning);
  }

  Result<std::optional<conversations::ConversationHead>> head_of(
      const SessionKey& session, const std::string& id, conversations::Completions completions) {
    ASSIGN_OR_RETURN(const auto rows,
                     ask(conversations::head_statement(session.text(), id, completions),
                         postgres::Planning::kOnce));
    return conversations::head_of(rows);
  }

  /// These calls, newest first.
  Result<Page<RecordedCall>> calls_named(const std::vector<std::string>& ids, std::size_t bytes) {
    if (ids.empty()) return Page<RecordedCall>();
    const auto fetch = [&](const RecordedCall* last, std::size_t rows, std::size_t most) {
      const auto found = fmt::format(
          "SELECT {}{}{}WHERE c.call_id = ANY ($1::uuid[]) AND {}{}"
          "ORDER BY c.call_id DESC LIMIT $2::bigint",
          kCallPageRows, kStateJoins, kCommitJoin, kNotDeleted,
          last != nullptr ? "AND c.call_id < $3::uuid " : "");
      std::vector<postgres::SqlParameter> parameters{postgres::SqlParameter::array(ids), rows};
      if (last != nullptr) parameters.push_back(last->call_id);
      return pool_.query(bounded_page(kCallPageColumns, found, "call_id DESC", most), parameters);
    };
    return read_page<RecordedCall>({ids.size(), bytes}, fetch, recorded_call);
  }

  Result<Page<RecordedEvent>> events(std::string_view condition, const std::string& key,
                                     EventPosition after, PageLimit limit) {
    const auto fetch = [&](const RecordedEvent* last, std::size_t rows, std::size_t bytes) {
      const EventPosition from = last != nullptr ? last->position : after;
      return pool_.query(events_query(condition, bytes),
                         {key, from.incarnation, from.sequence, rows});
    };
    return read_page<RecordedEvent>(limit, fetch, recorded_event);
  }

  postgres::ReaderPool pool_;
  postgres::ReaderPool ping_pool_;
};

}  // namespace

std::unique_ptr<StoreReader> make_postgres_reader(PostgresReaderOptions options) {
  return std::make_unique<PostgresReader>(std::move(options));
}

}  // namespace toolway::persistence::store
