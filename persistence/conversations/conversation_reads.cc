#include "persistence/conversations/conversation_reads.h"

#include <fmt/format.h>

#include "persistence/conversations/call_news.h"

namespace toolway::persistence::conversations {
namespace {

/// Of one page, as of all pages that gateways read.
constexpr std::size_t kMaxPageBytes = 4UL * 1024 * 1024;

std::string head_columns(Completions completions) {
  return fmt::format(
      "SELECT id::text AS id, head, CASE WHEN lease_until > clock_timestamp() "
      "THEN lease_turn::text END AS turn, (SELECT count(*) FROM conversation_waiters w "
      "WHERE w.session_key = c.session_key AND {}) AS waiting "
      "FROM conversations c WHERE session_key = $1::uuid ",
      waits(completions));
}

}  // namespace

ReadStatement head_statement(const std::string& session_key, const std::string& id,
                             Completions completions) {
  auto columns = head_columns(completions);
  if (id.empty())
    return {.sql = columns + "ORDER BY number DESC LIMIT 1", .parameters = {session_key}};
  return {.sql = columns + "AND id::text = $2", .parameters = {session_key, id}};
}

std::optional<ConversationHead> head_of(const postgres::SqlRows& rows) {
  if (rows.empty()) return std::nullopt;
  const auto& row = rows.front();
  return ConversationHead{.id = row.get<std::string>("id"),
                          .head = static_cast<std::uint64_t>(row.get<std::int64_t>("head")),
                          .turn = row.nullable<std::string>("turn").value_or(""),
                          .waiting = static_cast<int>(row.get<std::int64_t>("waiting"))};
}

std::string last_before_statement() {
  return "SELECT number, turn::text AS turn, role, body FROM (SELECT *, "
         "sum(octet_length(body)) OVER (ORDER BY number DESC ROWS UNBOUNDED PRECEDING) AS so_far "
         "FROM (SELECT number, turn, role, body FROM messages WHERE conversation = $1::uuid "
         "AND number < $2::bigint ORDER BY number DESC LIMIT $4::bigint) p) q "
         "WHERE so_far <= $3::bigint OR so_far = octet_length(body) ORDER BY number DESC";
}

std::string reading_statement() {
  return fmt::format(
      "SELECT number, turn, role, body, NULL::text AS call_id, NULL::text AS progress, "
      "NULL::text AS place, NULL::boolean AS of_turn, NULL::boolean AS early, NULL::bigint AS nth "
      "FROM ({}) m UNION ALL SELECT NULL, NULL, NULL, NULL, call_id, progress, place, of_turn, "
      "early, nth FROM ({}) w",
      last_before_statement(), news_statement(5));
}

ReadStatement messages_statement(const std::string& conversation, std::uint64_t after,
                                 std::size_t limit) {
  return {
      .sql = fmt::format(
          "SELECT number, turn, role, body FROM (SELECT number, turn::text AS turn, role, body, "
          "sum(octet_length(body)) OVER (ORDER BY number) - octet_length(body) AS before "
          "FROM (SELECT * FROM messages WHERE conversation = $1::uuid "
          "AND number > $2::bigint ORDER BY number LIMIT $3::bigint) p) q "
          "WHERE before < {} ORDER BY number",
          kMaxPageBytes),
      .parameters = {conversation, after, limit + 1}};
}

MessagePage messages_of(const postgres::SqlRows& rows, std::size_t limit) {
  MessagePage page{.messages = {}, .more = rows.size() > limit};
  std::size_t bytes = 0;
  for (const auto& row : rows) {
    if (page.messages.size() == limit) break;
    page.messages.push_back({.number = static_cast<std::uint64_t>(row.get<std::int64_t>("number")),
                             .turn = row.get<std::string>("turn"),
                             .role = row.get<std::string>("role"),
                             .body = row.get<std::string>("body")});
    bytes += page.messages.back().body.size();
  }
  page.more = page.more || bytes >= kMaxPageBytes;
  return page;
}

}  // namespace toolway::persistence::conversations
