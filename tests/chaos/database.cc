#include <fmt/format.h>
#include <libpq-fe.h>

#include <charconv>
#include <cstdlib>

#include "proto/toolway/v1/call.pb.h"
#include "tests/chaos/final_reader.h"

namespace toolway::chaos {
namespace {

/// Of a message, which has what tools return.
constexpr std::size_t kMaxDepth = 1000;

using Rows = std::unique_ptr<PGresult, decltype(&PQclear)>;

std::uint64_t number(const Rows& rows, int row, int column) {
  return std::strtoull(PQgetvalue(rows.get(), row, column), nullptr, 10);
}
std::string text(const Rows& rows, int row, int column) {
  return PQgetvalue(rows.get(), row, column);
}

std::string bytes_of_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

/// What a tool is told, as the tools of the workload write it down; empty: a refusal.
std::string value_of(const std::string& answer) {
  const auto json = parse_ordered_json(answer);
  if (!json || text_at(*json, "action") != "accept" || !json->contains("content")) return {};
  return text_at((*json)["content"], "value");
}

Result<void> read_questions(const std::string& call, const std::string& hex,
                            std::vector<Question>& questions) {
  v1::CallEvent event;
  if (!event.ParseFromString(bytes_of_hex(hex)))
    return fail(ErrorCode::kInternal, "an event in Postgres cannot be read");
  for (const auto& key : event.input_requested().keys())
    questions.push_back({.call_id = call, .key = key});
  for (const auto& key : event.input_provided().keys())
    for (const auto& question : event.questions())
      if (question.key() == key)
        questions.push_back(
            {.call_id = call, .key = key, .answered = true, .value = value_of(question.answer())});
  return {};
}

class PqDatabase final : public Database {
 public:
  explicit PqDatabase(PGconn* connection) : connection_(connection, PQfinish) {}

  Result<std::uint64_t> incomplete() override {
    return count(
        "SELECT count(*) FROM calls c WHERE NOT EXISTS (SELECT 1 FROM completions f WHERE f.call_id = c.call_id)");
  }
  Result<std::uint64_t> calls_recorded() override { return count("SELECT count(*) FROM calls"); }
  Result<std::uint64_t> dead_events() override { return count("SELECT count(*) FROM dead_events"); }

  Result<std::vector<CallRow>> calls() override {
    auto rows = ask(R"(SELECT c.call_id, c.user_id, c.session_id, c.namespace || '.' || c.tool,
                              coalesce(substring(c.arguments::text from 'tok\.[^.]*\.[^.]*\.'), ''), coalesce(f.outcome, ''), coalesce(f.attempt, 0), coalesce(c.parent_call_id::text, '')
                       FROM calls c LEFT JOIN completions f ON f.call_id = c.call_id ORDER BY c.call_id)",
                    {});
    if (!rows) return fail(rows.error());
    std::vector<CallRow> calls;
    for (int i = 0; i < PQntuples(rows->get()); ++i)
      calls.push_back({text(*rows, i, 0), text(*rows, i, 1), text(*rows, i, 2), text(*rows, i, 3),
                       text(*rows, i, 4), text(*rows, i, 5),
                       static_cast<unsigned>(number(*rows, i, 6)), text(*rows, i, 7)});
    return calls;
  }

  Result<std::vector<CallRow>> asking() override {
    auto rows = ask(R"(SELECT c.call_id, c.user_id, c.session_id FROM calls c
                       WHERE c.tool IN ('ask', 'ask_again')
                         AND NOT EXISTS (SELECT 1 FROM completions f WHERE f.call_id = c.call_id))",
                    {});
    if (!rows) return fail(rows.error());
    std::vector<CallRow> calls;
    for (int i = 0; i < PQntuples(rows->get()); ++i)
      calls.push_back(
          {.call_id = text(*rows, i, 0), .user = text(*rows, i, 1), .session = text(*rows, i, 2)});
    return calls;
  }

  Result<std::vector<Question>> questions() override {
    auto rows = ask(R"(SELECT call_id, encode(event, 'hex') FROM call_events
                       WHERE type IN ('input_requested', 'input_provided') ORDER BY incarnation, sequence)",
                    {});
    if (!rows) return fail(rows.error());
    std::vector<Question> questions;
    for (int i = 0; i < PQntuples(rows->get()); ++i)
      if (auto read = read_questions(text(*rows, i, 0), text(*rows, i, 1), questions); !read)
        return fail(read.error());
    return questions;
  }

  Result<Decided> decided() override {
    auto records = ask(
        "SELECT what, id, object, outcome, coalesce(details->>'digest', '') FROM audit_log", {});
    auto decisions = ask("SELECT call_id FROM call_events WHERE type = 'approval_decided'", {});
    auto approvals = ask("SELECT call_id, state FROM approvals", {});
    auto keys = ask("SELECT key_id, (revoked_at IS NOT NULL)::integer FROM api_keys", {});
    for (const auto* rows : {&records, &decisions, &approvals, &keys})
      if (!*rows) return fail(rows->error());
    Decided found;
    for (int i = 0; i < PQntuples(records->get()); ++i)
      found.records.push_back({text(*records, i, 0), text(*records, i, 1), text(*records, i, 2),
                               text(*records, i, 3), text(*records, i, 4)});
    for (int i = 0; i < PQntuples(decisions->get()); ++i)
      found.decisions.push_back(text(*decisions, i, 0));
    for (int i = 0; i < PQntuples(approvals->get()); ++i)
      found.approvals[text(*approvals, i, 0)] = text(*approvals, i, 1);
    for (int i = 0; i < PQntuples(keys->get()); ++i)
      found.keys[text(*keys, i, 0)] = number(*keys, i, 1) != 0;
    return found;
  }

  Result<std::uint64_t> unsealed() override {
    return count(
        "SELECT count(*) FROM audit_log WHERE xid >= coalesce((SELECT to_xid FROM audit_seals "
        "ORDER BY number DESC LIMIT 1), '0')");
  }

  Result<std::vector<TurnEnd>> turns() override {
    auto rows = ask(R"(SELECT c.call_id, c.session_id, coalesce(c.arguments->>'step', ''),
                              coalesce(substring(c.arguments::text from 'tok\.[^.]*\.[^.]*\.'), ''),
                              coalesce(f.outcome, ''), coalesce(f.error_code, ''), coalesce(f.result->>'conversation', ''),
                              coalesce(f.result->>'reply', ''), coalesce(f.result->>'last_message', '0')
                       FROM calls c LEFT JOIN completions f ON f.call_id = c.call_id
                       WHERE c.namespace || '.' || c.tool = $1 ORDER BY c.call_id)",
                    {kTurnTool});
    if (!rows) return fail(rows.error());
    std::vector<TurnEnd> turns;
    for (int i = 0; i < PQntuples(rows->get()); ++i)
      turns.push_back({text(*rows, i, 0), text(*rows, i, 1), text(*rows, i, 2), text(*rows, i, 3),
                       text(*rows, i, 4), text(*rows, i, 5), text(*rows, i, 6), text(*rows, i, 7),
                       number(*rows, i, 8)});
    return turns;
  }

  Result<std::vector<ConversationEnd>> conversations() override {
    auto rows = ask(R"(SELECT c.id, s.user_id, s.session_id, c.number, m.number, m.turn, m.body
                       FROM conversations c JOIN sessions s ON s.session_key = c.session_key
                       LEFT JOIN messages m ON m.conversation = c.id
                       ORDER BY s.session_id, c.number, m.number)",
                    {});
    if (!rows) return fail(rows.error());
    std::vector<ConversationEnd> found;
    for (int i = 0; i < PQntuples(rows->get()); ++i) {
      if (found.empty() || found.back().id != text(*rows, i, 0))
        found.push_back({.id = text(*rows, i, 0),
                         .user = text(*rows, i, 1),
                         .session = text(*rows, i, 2),
                         .number = number(*rows, i, 3)});
      if (PQgetisnull(rows->get(), i, 4) != 0) continue;
      auto body = parse_ordered_json(text(*rows, i, 6), kMaxDepth);
      if (!body) return fail(body.error());
      found.back().messages.push_back(
          {.number = number(*rows, i, 4), .turn = text(*rows, i, 5), .body = std::move(*body)});
    }
    return found;
  }

  Result<std::vector<EventRow>> events(const Watched& session) override {
    auto rows = ask(R"(SELECT e.incarnation, e.sequence, e.call_id, e.type, e.attempt, e.seq
                       FROM (SELECT session_key, incarnation, sequence, call_id, type, attempt, seq FROM call_events UNION ALL
                             SELECT session_key, incarnation, sequence, call_id, 'completed', attempt, seq FROM completions) e
                       JOIN sessions s ON s.session_key = e.session_key
                       WHERE s.user_id = $1 AND s.session_id = $2 ORDER BY 1, 2)",
                    {session.user.c_str(), session.session.c_str()});
    if (!rows) return fail(rows.error());
    std::vector<EventRow> events;
    for (int i = 0; i < PQntuples(rows->get()); ++i)
      events.push_back({static_cast<std::int64_t>(number(*rows, i, 0)), number(*rows, i, 1),
                        text(*rows, i, 2), text(*rows, i, 3),
                        static_cast<unsigned>(number(*rows, i, 4)),
                        static_cast<unsigned>(number(*rows, i, 5))});
    return events;
  }

 private:
  Result<Rows> ask(const char* sql, const std::vector<const char*>& values) {
    // Postgres may have been restarted since we asked last.
    if (PQstatus(connection_.get()) != CONNECTION_OK) PQreset(connection_.get());
    Rows rows(PQexecParams(connection_.get(), sql, static_cast<int>(values.size()), nullptr,
                           values.data(), nullptr, nullptr, 0),
              PQclear);
    if (PQresultStatus(rows.get()) == PGRES_TUPLES_OK) return rows;
    return fail(ErrorCode::kStoreUnavailable,
                fmt::format("Postgres: {}", PQerrorMessage(connection_.get())));
  }

  Result<std::uint64_t> count(const char* sql) {
    auto rows = ask(sql, {});
    if (!rows) return fail(rows.error());
    return number(*rows, 0, 0);
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

}  // namespace

Result<std::unique_ptr<Database>> Database::connect(const std::string& url) {
  auto* connection = PQconnectdb(url.c_str());
  auto database = std::make_unique<PqDatabase>(connection);
  if (PQstatus(connection) != CONNECTION_OK)
    return fail(ErrorCode::kStoreUnavailable, PQerrorMessage(connection));
  return database;
}

}  // namespace toolway::chaos
